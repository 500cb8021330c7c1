/** How the server stands, and that in words. */
import type { DidChangeStatus, StatusResult } from '../protocol.gen';
import { joined, plural } from '../text/words';
import { commandNode, type Node } from '../tree/nodes';

/** `restricted`: there is no server that may be run without trust. */
export type State =
  | { readonly kind: 'loading' | 'restricted' | 'stopped' }
  /** There is no knowledge base, or none that is served: then `refused` says why. */
  | { readonly kind: 'none'; readonly refused: readonly string[] }
  /** `path`: the setting that names none. */
  | { readonly kind: 'noServer'; readonly path: string }
  | { readonly kind: 'ready'; readonly status: StatusResult };

/** Whether nothing is served, nor about to be. */
export const isIdle = ({ kind }: State): boolean => kind !== 'loading' && kind !== 'ready';

/** What the server's answer means. */
export function stateOf(status: StatusResult): State {
  if (!status.complete) return { kind: 'loading' };
  if (status.roots.length === 0) return { kind: 'none', refused: status.refused };
  return { kind: 'ready', status };
}

/** What the knowledge bases hold, as far as an empty view has to say it. */
export function holdsOf(state: State): '' | 'nothing' | 'unreadable' | 'something' {
  if (state.kind !== 'ready') return '';
  const { roots } = state.status;
  if (total(roots, 'claims') + total(roots, 'pages') > 0) return 'something';
  if (roots.some(({ unusable }) => unusable > 0)) return 'unreadable';
  return total(roots, 'entities') > 0 ? 'something' : 'nothing';
}

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

/** Until when every knowledge base is paused, in words; undefined where one is not. */
export function pausedUntil(state: State): string | undefined {
  if (state.kind !== 'ready') return undefined;
  const [first] = state.status.roots.map(({ paused_until }) => paused_until ?? '').sort();
  if (!first) return undefined;
  const end = new Date(first);
  if (end.getUTCFullYear() >= 2100) return 'until it is resumed';
  return `until ${end.toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })}`;
}

export const problemsOf = (state: State) =>
  (state.kind === 'ready' ? state.status.roots : []).flatMap(({ root, problems }) =>
    problems.map((problem) => ({ root, ...problem })),
  );

interface Summary {
  readonly text: string;
  readonly detail: string;
  readonly severity: 'information' | 'warning' | 'error';
  readonly icon?: string;
}

/** What the status bar says. */
export function summarize(state: State, health: DidChangeStatus | undefined): Summary {
  const calm = { text: 'Vouch', severity: 'information' } as const;
  switch (state.kind) {
    case 'loading':
      return { ...calm, detail: 'reading the knowledge base', icon: 'loading~spin' };
    case 'none': {
      const [refused] = state.refused;
      if (refused) return { text: 'Vouch', detail: refused, severity: 'warning' };
      return { ...calm, detail: 'no knowledge base' };
    }
    case 'noServer':
      return { text: 'Vouch: no server', detail: '', severity: 'error' };
    case 'restricted':
      return { text: 'Vouch: no server', detail: 'Restricted Mode', severity: 'warning' };
    case 'stopped':
      return { text: 'Vouch: stopped', detail: '', severity: 'error' };
    case 'ready': {
      const severity = !health || health.health === 'ok' ? 'information' : health.health;
      const paused = pausedUntil(state);
      if (paused) return { text: 'Vouch: paused', detail: paused, severity };
      const problems = problemsOf(state);
      const counted = problems.length > 0 && plural(problems.length, 'problem');
      const worst = health?.message ?? problems[0]?.message;
      return { text: 'Vouch', detail: joined(countsOf(state.status), counted, worst), severity };
    }
  }
}

interface Placeholder {
  readonly words: string;
  readonly rows: readonly Node[];
}

/** What stands in the view "In play" where nothing is in play: a line, and rows that offer something. */
export function placeholderOf(state: State): Placeholder {
  if (state.kind === 'noServer' && state.path) {
    return {
      words: `The setting vouchSidecar.path names no server that runs: ${state.path}`,
      rows: [
        commandNode('Clear Setting', 'vouchSidecar.clearPath', 'clear-all'),
        commandNode('Change Setting', 'vouchSidecar.changePath', 'gear'),
        commandNode('Show Logs', 'vouchSidecar.showLogs', 'output'),
      ],
    };
  }
  const paused = pausedUntil(state);
  if (paused) {
    return {
      words: `Paused ${paused}: hooks, hover and this view say nothing.`,
      rows: [commandNode('Resume', 'vouchSidecar.resume', 'debug-continue')],
    };
  }
  if (state.kind !== 'ready' || holdsOf(state) !== 'something') return { words: '', rows: [] };
  const coming =
    'What you write about, or ask an agent, is listed here with what is claimed of it.';
  return {
    words: `Nothing in play. ${coming} There are ${countsOf(state.status)}.`,
    rows: [
      commandNode('Find Experts', 'vouchSidecar.findExperts', 'search'),
      commandNode('New Prompt', 'vouchSidecar.newPrompt', 'comment'),
      commandNode('Show What Changed This Week', 'vouchSidecar.changedThisWeek', 'history'),
    ],
  };
}
