/** How the server stands, and that in words. */
import { type DidChangeStatus, type StatusResult, UNTIL_RESUMED } from '../protocol.gen';
import { joined, plural } from '../text/words';

/** What the status bar says of each state but those in which knowledge bases are served. */
const SAID = {
  loading: { text: 'Vouch', detail: 'reading the knowledge base', severity: 'information' },
  none: { text: 'Vouch', detail: 'no knowledge base', severity: 'information' },
  /** That of another user, which nobody trusts. */
  refused: { text: 'Vouch', detail: 'not served', severity: 'warning' },
  /** There is no server that may be run without trust. */
  restricted: { text: 'Vouch: no server', detail: 'Restricted Mode', severity: 'warning' },
  noServer: { text: 'Vouch: no server', detail: '', severity: 'error' },
  /** The setting names none. */
  wrongPath: { text: 'Vouch: no server', detail: '', severity: 'error' },
  stopped: { text: 'Vouch: stopped', detail: '', severity: 'error' },
} as const;

/** Views and commands go by the kind, in package.json. */
export interface State {
  readonly kind: keyof typeof SAID | 'paused' | 'nothing' | 'unreadable' | 'ready';
  /** What the server said last, and how it is. */
  readonly status?: StatusResult;
  readonly health?: DidChangeStatus | undefined;
}

/** Whether nothing is served, nor about to be. */
export const isIdle = ({ kind }: State): boolean => kind in SAID && kind !== 'loading';

/** What the server's answer means. What fails to be read is not waited for; at last an error of no file says so. */
export function kindOf(status: StatusResult, health?: State['health']): State['kind'] {
  const { complete, roots, refused } = status;
  if (!complete && !health?.quiescent) return 'loading';
  if (roots.length === 0) return refused.length > 0 ? 'refused' : 'none';
  if (roots.every(({ paused_until }) => paused_until)) return 'paused';
  if (total(roots, 'claims') + total(roots, 'pages') > 0) return 'ready';
  const isUnread = ({ unusable, problems }: StatusResult['roots'][number]) =>
    unusable > 0 || problems.some((p) => !p.path && p.severity === 'error' && p.code !== 'setting');
  if (!complete || roots.some(isUnread)) return 'unreadable';
  return total(roots, 'entities') > 0 ? 'ready' : 'nothing';
}

/** Whether there is an entity or a topic that a text can name, or one may yet be found. */
export const hasNames = ({ degraded, roots }: StatusResult): boolean =>
  degraded.includes('workspace_pending') ||
  roots.some(({ counts, topics }) => counts.entities + (topics ?? 0) > 0);

const total = (roots: StatusResult['roots'], of: 'claims' | 'entities' | 'pages'): number =>
  roots.reduce((sum, { counts }) => sum + counts[of], 0);

/** Until when a knowledge base is paused, in words; '' where none is. */
export function pausedUntil({ roots }: StatusResult): string {
  const [first] = roots.flatMap(({ paused_until }) => paused_until ?? []).sort();
  if (!first) return '';
  const end = new Date(first);
  if (end.getTime() >= UNTIL_RESUMED * 1000) return 'until it is resumed';
  return `until ${end.toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })}`;
}

export const problemsOf = ({ status }: State) =>
  (status?.roots ?? []).flatMap(({ problems }) => problems).filter((p) => p.severity !== 'hint');

/** What the status bar says. */
export function summarize(state: State) {
  const { kind, status, health } = state;
  if (kind in SAID) {
    const said = SAID[kind as keyof typeof SAID];
    return { ...said, detail: status?.refused[0] ?? said.detail };
  }
  const { roots } = status as StatusResult;
  const paused = pausedUntil(status as StatusResult);
  const severity = !health || health.health === 'ok' ? ('information' as const) : health.health;
  if (kind === 'paused') return { text: 'Vouch: paused', detail: paused, severity };
  const problems = problemsOf(state);
  const detail = joined(
    plural(total(roots, 'entities'), 'entity', 'entities'),
    plural(total(roots, 'claims'), 'claim'),
    plural(total(roots, 'pages'), 'page'),
    problems.length > 0 && plural(problems.length, 'problem'),
    health?.message ?? problems[0]?.message,
  );
  return { text: paused ? 'Vouch: partly paused' : 'Vouch', detail, severity };
}
