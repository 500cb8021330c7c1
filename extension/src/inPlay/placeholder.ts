/** What stands in the view "In play" where nothing is in play: a line, and rows that offer something. */
import type { StatusResult } from '../protocol.gen';
import { nothingInPlay, pausedUntil, type State } from '../status/summary';
import { commandNode, type Node } from '../tree/nodes';

interface Placeholder {
  readonly words: string;
  readonly rows: readonly Node[];
}

export const NO_PLACEHOLDER: Placeholder = { words: '', rows: [] };

/** `path` is that of a server, where one is set. */
export function placeholderOf(
  state: State,
  holds: string,
  status: StatusResult | undefined,
  path: string,
): Placeholder {
  if (state === 'noServer' && path) {
    return {
      words: `The setting vouchSidecar.path names no server that runs: ${path}`,
      rows: [
        commandNode('Clear Setting', 'vouchSidecar.clearPath', 'clear-all'),
        commandNode('Change Setting', 'vouchSidecar.changePath', 'gear'),
        commandNode('Show Logs', 'vouchSidecar.showLogs', 'output'),
      ],
    };
  }
  if (state !== 'ready' || !status) return NO_PLACEHOLDER;
  const paused = pausedUntil(status);
  if (paused) {
    return {
      words: `Paused ${paused}: hooks, hover and this view say nothing.`,
      rows: [commandNode('Resume', 'vouchSidecar.resume', 'debug-continue')],
    };
  }
  if (holds !== 'something') return NO_PLACEHOLDER;
  return {
    words: nothingInPlay(status),
    rows: [
      commandNode('Find Experts', 'vouchSidecar.findExperts', 'search'),
      commandNode('New Prompt', 'vouchSidecar.newPrompt', 'comment'),
      commandNode('Show What Changed This Week', 'vouchSidecar.changedThisWeek', 'history'),
    ],
  };
}
