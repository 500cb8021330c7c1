/** What the view "In this file" shows: the claims that are tied to the file in sight. */
import type { TiedClaim } from '../protocol.gen';
import { joined, plural } from '../text/words';
import {
  type Ask,
  aboutClaim,
  claimNode,
  inLines,
  listNode,
  type Node,
  noteNode,
  type Ref,
} from '../tree/nodes';
import { Rows } from '../tree/rows';

/** Where somebody reads or writes: a line, from 1, and the lines of its paragraph. */
export interface Caret {
  readonly uri: string;
  readonly line: number;
  readonly around: readonly [number, number];
}

/** `pending`: ties are still being worked out. */
interface Shown {
  readonly uri: string;
  readonly claims: readonly TiedClaim[];
  readonly pending: boolean;
}

export class InFile extends Rows {
  private shown: Shown | undefined;
  private caret: Caret | undefined;
  private turn = 0;

  constructor(
    private readonly ask: Ask,
    /** Told of the claims at the caret, where there are any. */
    private readonly onClaimsAtCaret: (claims: readonly Ref[]) => void,
  ) {
    super();
  }

  /** Shows what is tied to a file; what is shown of it stays until a server has that to say. */
  async look(uri: string | undefined): Promise<void> {
    const turn = ++this.turn;
    if (!uri?.startsWith('file:')) return this.set(undefined);
    const unknown = { uri, claims: [], pending: true };
    if (!this.shown) this.set(unknown);
    const before = this.shown?.uri === uri ? this.shown : unknown;
    const found = await this.asked(uri).catch(() => undefined);
    if (turn === this.turn) this.set(found ?? before);
  }

  /** Marks the claims at the caret. */
  follow(caret: Caret): void {
    this.caret = caret;
    this.draw();
  }

  /** What the server has to say; nothing while it begins, and has not read the knowledge base. */
  private async asked(uri: string): Promise<Shown | undefined> {
    const { files, degraded, complete } = await this.ask('vouch/files', { uri });
    const claims = inFileOrder(files[0]?.claims ?? []);
    const pending = degraded.includes('workspace_pending');
    return complete || claims.length > 0 ? { uri, claims, pending } : undefined;
  }

  private set(shown: Shown | undefined): void {
    this.shown = shown;
    this.draw();
  }

  private draw(): void {
    const { shown, caret } = this;
    if (!shown) {
      this.show([]);
      return;
    }
    const { uri, claims, pending } = shown;
    const here = caret?.uri === uri ? atCaret(claims, caret) : [];
    const node = (claim: TiedClaim) => tiedNode(uri, claim, here.includes(claim));
    const rows = claims.filter(({ weak }) => !weak).map(node);
    const weak = claims.filter(({ weak }) => weak).map(node);
    const label = `${weak.length} less sure`;
    if (weak.length > 0) rows.push(listNode('file/weak', label, 'ellipsis', weak, { open: false }));
    const value = claims.filter(({ fresh }) => fresh === 'gone').length;
    const tooltip = `${plural(value, 'claim')} on this file whose quote is gone from it`;
    this.show(rows.length > 0 ? rows : [pending ? PENDING : NONE], '', { value, tooltip });
    this.onClaimsAtCaret(here);
  }
}

const PENDING = noteNode('file', 'Claims are being tied to files…', 'loading~spin');
const NONE = noteNode('file', 'No claim is about this file');

/** As they stand in the file, those without a line last. */
function inFileOrder(claims: readonly TiedClaim[]): readonly TiedClaim[] {
  const line = (claim: TiedClaim) => claim.line ?? Number.MAX_SAFE_INTEGER;
  return claims.toSorted((a, b) => line(a) - line(b));
}

/** The line of a claim in a file, or where its quote stood; 0: none. */
function lineIn(file: string, { line, citations }: TiedClaim): number {
  const cited = citations.map(({ document }) => document?.split('#L') ?? []);
  return line ?? Number(cited.find(([document]) => document === file)?.[1] ?? 0);
}

/** The claims on the line at the caret, else on the nearest line of its paragraph. */
function atCaret(claims: readonly TiedClaim[], caret: Caret): readonly TiedClaim[] {
  const [first, last] = caret.around;
  const lineOf = (claim: TiedClaim) => lineIn(caret.uri, claim);
  const lines = claims.map(lineOf).filter((line) => first <= line && line <= last);
  const distance = (line: number) => Math.abs(line - caret.line) - (line <= caret.line ? 0.5 : 0);
  const nearest = lines.sort((a, b) => distance(a) - distance(b))[0];
  return nearest === undefined ? [] : claims.filter((claim) => lineOf(claim) === nearest);
}

/** What ties a claim to a file: a quote says more than a name. */
const ARM_ICONS = { quotes: 'quote', cites: 'link', path: 'file', identifier: 'symbol-key' };

/** It goes to its line in the file that is read, else to what it cites, else to its own file. */
function tiedNode(file: string, tied: TiedClaim, isHere: boolean): Node {
  const { collection, arm, line, why, fresh, status } = tied;
  const gone = !tied.stale && fresh === 'gone' && 'its quote is gone';
  const node = claimNode(`file/${collection}`, tied, collection);
  const contested = status === 'contested' && 'contested';
  const marked = tied.stale ? 'stale' : gone;
  return {
    ...node,
    label: joined(line !== null && `L${line}`, node.label),
    description: joined(isHere && 'at the caret', contested, marked, node.description),
    tooltip: inLines(aboutClaim(tied), why, gone),
    icon: isHere ? 'arrow-right' : node.warns ? node.icon : ARM_ICONS[arm],
    ...(line !== null && { target: [`${file}#L${line}`] }),
  };
}
