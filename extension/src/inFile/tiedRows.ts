/** Rows for claims that are tied to the file in sight: what is claimed, and why it is listed. */
import type * as vscode from 'vscode';
import type { TiedClaim } from '../protocol.gen';
import { joined } from '../text/words';
import { fileOf, WARNS } from '../tree/claims';
import {
  type ClaimNode,
  commandNode,
  moreNode,
  type Node,
  noteNode,
  rowText,
  type Target,
} from '../tree/nodes';

export const tiedKey = ({ id, collection }: TiedClaim): string => JSON.stringify([collection, id]);

/** Where somebody reads or writes: a line, from 1, and the lines of what it stands in. */
export interface Caret {
  readonly uri: string;
  readonly line: number;
  /** First and last line of the function or paragraph. */
  readonly around: readonly [number, number];
}

/** As they stand in the file, those without a line last; claims of one sentence once. */
export function inFileOrder(claims: readonly TiedClaim[]): readonly TiedClaim[] {
  const first = new Map(claims.toReversed().map((claim) => [claim.text, claim]));
  const once = claims.filter((claim) => first.get(claim.text) === claim);
  const line = (claim: TiedClaim) => claim.line ?? Number.MAX_SAFE_INTEGER;
  return once.sort((a, b) => line(a) - line(b));
}

/** The claims on the line at the caret, else on the nearest line of what that stands in. */
export function atCaret(claims: readonly TiedClaim[], caret: Caret): readonly TiedClaim[] {
  const [first, last] = caret.around;
  const lines = claims.map(({ line }) => line ?? 0).filter((line) => first <= line && line <= last);
  const distance = (line: number) => Math.abs(line - caret.line) - (line <= caret.line ? 0.5 : 0);
  const nearest = lines.sort((a, b) => distance(a) - distance(b))[0];
  return nearest === undefined ? [] : claims.filter(({ line }) => line === nearest);
}

/**
 * The claims in `here` are marked, weaker ones folded below the others; the last row brings back what
 * was dismissed.
 */
export function tiedRows(
  parent: string,
  file: string,
  claims: readonly TiedClaim[],
  here: readonly TiedClaim[],
  dismissed: readonly string[],
): readonly Node[] {
  const left = claims.filter((claim) => !dismissed.includes(tiedKey(claim)));
  const nodes = (some: readonly TiedClaim[]) =>
    some.map((claim) => tiedNode(parent, file, claim, here.includes(claim)));
  const weak = nodes(left.filter((claim) => claim.weak));
  const gone = claims.length - left.length;
  return [
    ...nodes(left.filter((claim) => !claim.weak)),
    ...(weak.length > 0 ? [moreNode(parent, `${weak.length} less sure`, weak)] : []),
    ...(gone > 0
      ? [commandNode(`${gone} dismissed`, 'vouchSidecar.restoreClaims', 'discard')]
      : []),
  ];
}

function tiedNode(parent: string, file: string, claim: TiedClaim, isHere: boolean): ClaimNode {
  const { line, text, why, stale, source } = claim;
  const label = joined(line !== null && `L${line}`, rowText(text));
  const here = isHere && 'at the caret';
  const contested = claim.status === 'contested' && 'contested';
  const icon = contested ? 'warning' : stale ? 'history' : 'pass';
  return {
    id: `${parent}/tied:${tiedKey(claim)}`,
    kind: 'claim',
    label,
    description: joined(here, contested, stale && 'stale'),
    spoken: [label, here, why, stale, contested].filter(Boolean).join(', '),
    tooltip: [rowText(text), why, stale ?? '', contested || '', source ? `— ${source}` : ''],
    icon: isHere ? 'arrow-right' : icon,
    ...(contested || stale ? { color: WARNS } : {}),
    claim: { id: claim.id, collection: claim.collection },
    target: lineOf(file, claim),
    file: fileOf(claim),
    key: tiedKey(claim),
  };
}

/** Its line in the file that is read, else the document that it cites, else its own file. */
function lineOf(file: string, claim: TiedClaim): Target {
  if (claim.line !== null) return { uris: [file], locator: `L${claim.line}`, passages: [] };
  return claim.document ? { uris: [claim.document, claim.uri], passages: [] } : fileOf(claim);
}

/** What stands where nothing else does: why, and the way to the claims of the files beside. */
export function nothingRows(parent: string, pending: boolean): readonly Node[] {
  if (pending) return [noteNode(parent, 'Claims are being tied to files…', 'loading~spin')];
  return [
    noteNode(parent, 'No claim is about this file'),
    commandNode('Show Claims on This Folder', 'vouchSidecar.folderClaims', 'folder'),
  ];
}

const KEY = 'dismissedClaims';

/** Which claims somebody dismissed, by file; kept with the workspace. */
export class Dismissals {
  constructor(private readonly state: Pick<vscode.Memento, 'get' | 'update'>) {}

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
