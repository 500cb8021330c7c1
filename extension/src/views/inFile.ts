/** What the view "In this file" shows: the claims that are tied to the file in sight. */
import type * as vscode from 'vscode';
import type { TiedClaim } from '../protocol.gen';
import { joined } from '../text/words';
import { type Ask, factOf, fileOf } from '../tree/claims';
import {
  type ClaimRef,
  commandNode,
  moreNode,
  type Node,
  noteNode,
  rowText,
  type Target,
  WARNS,
} from '../tree/nodes';
import { type Redraw, Rows } from '../tree/rows';

/** Where somebody reads or writes: a line, from 1, and the lines of its paragraph. */
export interface Caret {
  readonly uri: string;
  readonly line: number;
  readonly around: readonly [number, number];
}

type State =
  /** Nothing is served, or no file is open. */
  | { readonly kind: 'blank' }
  /** A file that is about to be asked about. */
  | { readonly kind: 'asked'; readonly uri: string }
  | {
      readonly kind: 'known';
      readonly uri: string;
      readonly claims: readonly TiedClaim[];
      /** Whether ties are still being worked out. */
      readonly pending: boolean;
    };

export class InFile extends Rows {
  private state: State = { kind: 'blank' };
  private caret: Caret | undefined;
  private turn = 0;
  /** Keys of the claims at the caret that were reported last. */
  private reported = '';

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
    private readonly dismissals: Dismissals,
    /** Told of the claims at the caret, where there are any. */
    private readonly onClaimsAtCaret: (claims: readonly ClaimRef[]) => void,
  ) {
    super(redraw);
  }

  /** How many claims quote something that the file no longer has. */
  get broken(): number {
    return this.left.filter(({ fresh }) => fresh === 'gone').length;
  }

  /** Shows what is tied to a file; what is shown of it stays until that is known. */
  async look(uri: string | undefined): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    if (!uri?.startsWith('file:')) {
      this.set({ kind: 'blank' });
      return;
    }
    const before = this.state.kind === 'known' && this.state.uri === uri ? this.state : undefined;
    if (this.state.kind === 'blank') this.set({ kind: 'asked', uri });
    const known = await this.asked(uri).catch(() => before ?? { kind: 'blank' as const });
    if (turn !== this.turn) return;
    // A server that has just begun knows no ties yet: what is shown stays until it does.
    const isLess = before && known.kind === 'known' && known.pending && before.claims.length > 0;
    this.set(isLess ? before : known);
  }

  /** Marks the claims at the caret. */
  follow(caret: Caret): void {
    this.caret = caret;
    this.draw();
  }

  /** Takes a claim out of the rows of this file, until it is restored. */
  dismiss({ key }: Node): void {
    if (this.state.kind !== 'known' || !key) return;
    this.dismissals.add(this.state.uri, key);
    this.draw();
  }

  restore(): void {
    if (this.state.kind !== 'known') return;
    this.dismissals.clear(this.state.uri);
    this.draw();
  }

  clear(): void {
    this.turn += 1;
    this.set({ kind: 'blank' });
  }

  private get left(): readonly TiedClaim[] {
    if (this.state.kind !== 'known') return [];
    const dismissed = this.dismissals.of(this.state.uri);
    return this.state.claims.filter((claim) => !dismissed.includes(tiedKey(claim)));
  }

  private async asked(uri: string): Promise<State> {
    const { files, degraded } = await this.ask('vouch/files', { uri });
    const claims = inFileOrder(files[0]?.claims ?? []);
    return { kind: 'known', uri, claims, pending: degraded.includes('workspace_pending') };
  }

  private set(state: State): void {
    this.state = state;
    this.draw();
  }

  private draw(): void {
    const { state, caret, left } = this;
    if (state.kind === 'blank') this.show([]);
    if (state.kind === 'asked') this.show([PENDING]);
    if (state.kind !== 'known') return;
    const here = caret?.uri === state.uri ? atCaret(left, caret) : [];
    const rows = tiedRows(state.uri, left, here, state.claims.length - left.length);
    const none = state.pending ? PENDING : noteNode(PARENT, 'No claim is about this file');
    this.show(rows.length > 0 ? rows : [none]);
    // Only once: what somebody selects elsewhere stays while the caret stands still.
    const keys = here.map(tiedKey).join();
    if (keys && keys !== this.reported) this.onClaimsAtCaret(here);
    this.reported = keys;
  }
}

const PARENT = 'file';
const PENDING = noteNode(PARENT, 'Claims are being tied to files…', 'loading~spin');

const tiedKey = ({ id, collection }: TiedClaim): string => JSON.stringify([collection, id]);

/** As they stand in the file, those without a line last; claims of one sentence once. */
function inFileOrder(claims: readonly TiedClaim[]): readonly TiedClaim[] {
  const once = [...new Map(claims.toReversed().map((claim) => [claim.text, claim])).values()];
  const line = (claim: TiedClaim) => claim.line ?? Number.MAX_SAFE_INTEGER;
  return once.reverse().sort((a, b) => line(a) - line(b));
}

/** The claims on the line at the caret, else on the nearest line of its paragraph. */
function atCaret(claims: readonly TiedClaim[], caret: Caret): readonly TiedClaim[] {
  const [first, last] = caret.around;
  const lines = claims.map(({ line }) => line ?? 0).filter((line) => first <= line && line <= last);
  const distance = (line: number) => Math.abs(line - caret.line) - (line <= caret.line ? 0.5 : 0);
  const nearest = lines.sort((a, b) => distance(a) - distance(b))[0];
  return nearest === undefined ? [] : claims.filter(({ line }) => line === nearest);
}

/** Weaker ones are folded below the others; the last row brings back what was dismissed. */
function tiedRows(
  file: string,
  claims: readonly TiedClaim[],
  here: readonly TiedClaim[],
  dismissed: number,
): readonly Node[] {
  const nodes = (some: readonly TiedClaim[]) =>
    some.map((claim) => tiedNode(file, claim, here.includes(claim)));
  const weak = nodes(claims.filter((claim) => claim.weak));
  return [
    ...nodes(claims.filter((claim) => !claim.weak)),
    ...(weak.length > 0 ? [moreNode(PARENT, `${weak.length} less sure`, weak)] : []),
    ...(dismissed > 0
      ? [commandNode(`${dismissed} dismissed`, 'vouchSidecar.restoreClaims', 'discard')]
      : []),
  ];
}

function tiedNode(file: string, claim: TiedClaim, isHere: boolean): Node {
  const { id, collection, line, text, heading, why, stale, source } = claim;
  const label = joined(line !== null && `L${line}`, factOf(text, heading));
  const here = isHere && 'at the caret';
  const contested = claim.status === 'contested' && 'contested';
  const icon = contested ? 'warning' : stale ? 'history' : 'pass';
  return {
    id: `${PARENT}/tied:${tiedKey(claim)}`,
    label,
    description: joined(here, contested, stale && 'stale', rowText(heading)),
    spoken: [label, here, why, stale, contested].filter(Boolean).join(', '),
    tooltip: [rowText(text), why, stale ?? '', contested || '', source ? `— ${source}` : ''],
    icon: isHere ? 'arrow-right' : icon,
    ...((contested || stale) && { color: WARNS }),
    menu: 'claim tied',
    claim: { id, collection },
    target: lineOf(file, claim),
    key: tiedKey(claim),
  };
}

/** Its line in the file that is read, else the document that it cites, else its own file. */
function lineOf(file: string, claim: TiedClaim): Target {
  if (claim.line !== null) return { uris: [file], locator: `L${claim.line}`, passages: [] };
  return claim.document ? { uris: [claim.document, claim.uri], passages: [] } : fileOf(claim);
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
