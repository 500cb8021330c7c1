/** The state of the server in words. */
import type { DidChangeStatus, StatusResult } from '../protocol.gen';
import { joined, plural } from '../text/words';

/** How the panel stands; `restricted`: no server that may be run without trust. */
export type State = 'loading' | 'none' | 'noServer' | 'restricted' | 'stopped' | 'ready';

/** Whether nothing is served, nor about to be. */
export const isIdle = (state: State): boolean => state !== 'loading' && state !== 'ready';

/** What the knowledge bases hold, as far as an empty view has to say it. */
type Holds = 'nothing' | 'unreadable' | 'something';

export function holdsOf({ roots }: StatusResult): Holds {
  if (total(roots, 'claims') + total(roots, 'pages') > 0) return 'something';
  if (roots.some(({ unusable }) => unusable > 0)) return 'unreadable';
  return total(roots, 'entities') > 0 ? 'something' : 'nothing';
}

/** What stands where nothing is in play. */
export const nothingInPlay = (status: StatusResult): string =>
  `Nothing in play. ${countsOf(status)}.`;

/** What there is of each kind over all knowledge bases. */
function countsOf({ roots }: StatusResult): string {
  const topics = roots.reduce((sum, root) => sum + (root.topics ?? 0), 0);
  const counts: [number, string, string?][] = [
    [total(roots, 'entities'), 'entity', 'entities'],
    [topics, 'topic'],
    [total(roots, 'claims'), 'claim'],
    [total(roots, 'pages'), 'page'],
  ];
  const present = counts.filter(([count]) => count > 0);
  return present.map((count) => plural(...count)).join(', ');
}

const total = (roots: StatusResult['roots'], of: 'claims' | 'entities' | 'pages'): number =>
  roots.reduce((sum, { counts }) => sum + counts[of], 0);

export interface Summary {
  readonly text: string;
  readonly detail: string;
  readonly severity: 'information' | 'warning' | 'error';
  readonly icon?: string;
}

const SUMMARIES: Readonly<Record<State, Summary>> = {
  loading: {
    text: 'Vouch',
    detail: 'reading the knowledge base',
    severity: 'information',
    icon: 'loading~spin',
  },
  none: { text: 'Vouch', detail: 'no knowledge base', severity: 'information' },
  noServer: { text: 'Vouch: no server', detail: '', severity: 'error' },
  restricted: { text: 'Vouch: no server', detail: 'Restricted Mode', severity: 'warning' },
  stopped: { text: 'Vouch: stopped', detail: '', severity: 'error' },
  ready: { text: 'Vouch', detail: '', severity: 'information' },
};

export function summarize(
  state: State,
  status: StatusResult | undefined,
  health: DidChangeStatus | undefined,
): Summary {
  const refused = state === 'none' && status?.refused[0];
  if (refused) return { text: 'Vouch', detail: refused, severity: 'warning' };
  if (state !== 'ready' || !status) return SUMMARIES[state];
  const severity = !health || health.health === 'ok' ? 'information' : health.health;
  const paused = pausedUntil(status);
  if (paused) return { text: 'Vouch: paused', detail: paused, severity };
  const problems = problemsOf(status);
  const counted = problems.length > 0 && plural(problems.length, 'problem');
  const worst = health?.message ?? problems[0]?.message;
  return { text: 'Vouch', detail: joined(countsOf(status), counted, worst), severity };
}

const ICONS = { information: 'library', warning: 'warning', error: 'error' };

/** What the status bar shows of it. */
export function inBar({ text, detail, severity, icon = ICONS[severity] }: Summary) {
  const label = joined(text, detail);
  const accessibilityInformation = { label }; // else the icon is read, too
  return { text: `$(${icon}) ${text}`, tooltip: label, accessibilityInformation };
}

/** Until when every knowledge base is paused, in words; undefined where one is not. */
export function pausedUntil({ roots }: StatusResult): string | undefined {
  const ends = roots.map(({ paused_until }) => paused_until ?? '').sort();
  if (!ends[0]) return undefined;
  const end = new Date(ends[0]);
  if (end.getUTCFullYear() >= 2100) return 'until it is resumed';
  return `until ${end.toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })}`;
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
