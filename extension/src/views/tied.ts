/** Rows for claims that are tied to the file in sight: what is claimed, and why it is listed. */
import type * as vscode from 'vscode';
import type { Range, TiedClaim } from '../protocol.gen';
import {
  type ClaimNode,
  commandNode,
  joined,
  moreNode,
  type Node,
  noteNode,
  plural,
} from './nodes';

const SHOWN = 8;

/** Which claims somebody dismissed, by file. */
export interface Dismissals {
  of(uri: string): readonly string[];
  add(uri: string, key: string): void;
  clear(uri: string): void;
}

export const tiedKey = ({ id, collection }: TiedClaim): string => JSON.stringify([collection, id]);

/**
 * Those in the function at the caret first, then those in sight, then the others, as they came;
 * claims of one sentence once.
 */
export function inOrder(
  claims: readonly TiedClaim[],
  sight: Range,
  caret: Range | undefined,
): readonly TiedClaim[] {
  const rank = ({ line }: TiedClaim) =>
    line === null ? 2 : caret && holds(caret, line) ? 0 : holds(sight, line) ? 1 : 2;
  const first = new Map([...claims].reverse().map((claim) => [claim.text, claim]));
  const once = claims.filter((claim) => first.get(claim.text) === claim);
  return once.sort((a, b) => rank(a) - rank(b));
}

const holds = ({ start, end }: Range, line: number): boolean =>
  start.line < line && line <= end.line + 1;

/** The first few claims, a row that holds the others, and one that brings back what was dismissed. */
export function tiedRows(
  parent: string,
  claims: readonly TiedClaim[],
  dismissed: readonly string[],
): readonly Node[] {
  const rows = claims
    .filter((claim) => !dismissed.includes(tiedKey(claim)))
    .map((claim) => tiedNode(parent, claim));
  const gone = claims.length - rows.length;
  const back =
    gone > 0 ? [commandNode(`${gone} dismissed`, 'vouchSidecar.restoreClaims', 'discard')] : [];
  if (rows.length <= SHOWN + 1) return [...rows, ...back];
  const hidden = rows.slice(SHOWN);
  const more = moreNode(parent, plural(hidden.length, 'more claim'), hidden);
  return [...rows.slice(0, SHOWN), more, ...back];
}

function tiedNode(parent: string, claim: TiedClaim): ClaimNode {
  const id = `${parent}/tied:${tiedKey(claim)}`;
  const label = claim.text.replaceAll(/\s+/g, ' ').trim();
  const contested = claim.status === 'contested' && 'contested';
  const state = joined(contested, claim.stale && 'stale');
  return {
    id,
    kind: 'claim',
    label,
    description: joined(state, claim.line !== null && `L${claim.line}`),
    spoken: [label, claim.why, claim.stale, contested].filter(Boolean).join(', '),
    tooltip: [label, claim.why, claim.stale, contested, claim.source && `— ${claim.source}`]
      .filter(Boolean)
      .map(String),
    icon: contested ? 'warning' : claim.stale ? 'history' : 'pass',
    ...(state ? { color: 'list.warningForeground' } : {}),
    target: { uris: [claim.uri], passages: [claim.text, 'text:'] },
    key: tiedKey(claim),
    children: [
      { ...noteNode(`${id}/why`, claim.why, 'link') },
      ...(claim.stale ? [{ ...noteNode(`${id}/stale`, claim.stale, 'history') }] : []),
      ...(claim.source ? [sourceNode(id, claim, claim.source)] : []),
    ],
  };
}

function sourceNode(id: string, { document, uri }: TiedClaim, source: string): Node {
  return {
    id: `${id}/source`,
    kind: 'place',
    label: source,
    description: '',
    spoken: `Source, ${source}`,
    tooltip: [source],
    icon: 'quote',
    target: { uris: document ? [document] : [uri], passages: [] },
  };
}

/** What stands where nothing else does: why, and the way to the claims of the files beside. */
export function nothingRows(parent: string, pending: boolean): readonly Node[] {
  if (pending) return [noteNode(parent, 'Claims are being tied to files…', 'loading~spin')];
  return [
    noteNode(parent, 'No claim cites, quotes or names this file'),
    commandNode('Show Claims on This Folder', 'vouchSidecar.folderClaims', 'folder'),
  ];
}

const KEY = 'dismissedClaims';

/** The claims that somebody dismissed, kept with the workspace. */
export class StoredDismissals implements Dismissals {
  constructor(private readonly state: vscode.Memento) {}

  of(uri: string): readonly string[] {
    return this.all[uri] ?? [];
  }

  add(uri: string, key: string): void {
    void this.state.update(KEY, { ...this.all, [uri]: [...this.of(uri), key] });
  }

  clear(uri: string): void {
    const { [uri]: _, ...rest } = this.all;
    void this.state.update(KEY, rest);
  }

  private get all(): Readonly<Record<string, readonly string[]>> {
    return this.state.get(KEY, {});
  }
}
