/** The state of the server in words. */
import type { DidChangeStatus, StatusResult } from '../protocol.gen';
import { plural } from '../views/nodes';

export type State =
  | 'looking'
  | 'noKnowledgeBase'
  | 'noServer'
  | 'starting'
  | 'indexing'
  | 'ready'
  | 'stopped';

/** What the knowledge bases hold, as far as an empty view has to say it. */
type Holds = 'nothing' | 'noEntities' | 'entities';

export function holdsOf(status: StatusResult): Holds {
  const sum = (of: 'claims' | 'entities' | 'pages') =>
    status.roots.reduce((total, { counts }) => total + counts[of], 0);
  if (sum('entities') > 0) return 'entities';
  return sum('claims') + sum('pages') > 0 ? 'noEntities' : 'nothing';
}

export interface Summary {
  readonly text: string;
  readonly detail: string;
  readonly severity: 'information' | 'warning' | 'error';
  readonly busy: boolean;
}

const IDLE: Readonly<Record<Exclude<State, 'indexing' | 'ready'>, Summary>> = {
  looking: { text: 'Vouch', detail: 'looking', severity: 'information', busy: true },
  starting: { text: 'Vouch', detail: 'starting', severity: 'information', busy: true },
  noKnowledgeBase: {
    text: 'Vouch',
    detail: 'no knowledge base',
    severity: 'information',
    busy: false,
  },
  noServer: { text: 'Vouch: no server', detail: '', severity: 'error', busy: false },
  stopped: { text: 'Vouch: stopped', detail: '', severity: 'error', busy: false },
};

export function summarize(
  state: State,
  status: StatusResult | undefined,
  health: DidChangeStatus | undefined,
): Summary {
  if (state !== 'ready' && state !== 'indexing') return IDLE[state];
  const problems = problemsOf(status);
  const severity =
    health?.health === 'error' ? 'error' : health?.health === 'warning' ? 'warning' : 'information';
  const generation = `generation ${health?.generation ?? status?.generation ?? 0}`;
  const worst = health?.message ?? problems[0]?.message;
  return {
    text: status ? `Vouch: ${countsOf(status)}` : 'Vouch',
    detail: [generation, problems.length > 0 && plural(problems.length, 'problem'), worst]
      .filter(Boolean)
      .join(' · '),
    severity,
    busy: state === 'indexing',
  };
}

export const problemsOf = (status: StatusResult | undefined) =>
  (status?.roots ?? []).flatMap(({ root, problems }) =>
    problems.map((problem) => ({ root, ...problem })),
  );

const SINGULAR: Readonly<Record<string, string>> = { entities: 'entity', evidence: 'evidence' };

/** Counts of all kinds, of one knowledge base. */
export const allCountsOf = (counts: StatusResult['roots'][number]['counts']): string =>
  Object.entries(counts)
    .map(([kind, count]) => plural(count, SINGULAR[kind] ?? kind.replace(/s$/, ''), kind))
    .join(' · ');

/** Claims and entities over all knowledge bases. */
function countsOf(status: StatusResult): string {
  const sum = (of: 'claims' | 'entities') =>
    status.roots.reduce((total, { counts }) => total + counts[of], 0);
  return `${plural(sum('claims'), 'claim')}, ${plural(sum('entities'), 'entity', 'entities')}`;
}
