/** What the view "In this file" shows: the claims that are tied to the file in sight, then the entities
 * that the part in sight names.
 */
import type { NamedEntity, Range, TiedClaim } from '../protocol.gen';
import type { Ask } from '../tree/ask';
import { EntityClaims } from '../tree/entityClaims';
import { type ClaimRef, entityNode, keyOf, type Node, subjectOf } from '../tree/nodes';
import { type Redraw, Rows, type Shown, steadyOrder } from '../tree/rows';
import {
  atCaret,
  type Caret,
  type Dismissals,
  inFileOrder,
  nothingRows,
  tiedKey,
  tiedRows,
} from './tiedRows';

/** What is in sight of a document: from the first to the last line. */
export interface VisiblePart {
  readonly uri: string;
  readonly range: Range;
}

const PARENT = 'file';

export class InFile extends Rows {
  private named: readonly Shown<NamedEntity>[] = [];
  private tied: readonly TiedClaim[] = [];
  /** Whether ties are not worked out yet; undefined of what is no file. */
  private pending: boolean | undefined;
  private uri = '';
  private caret: Caret | undefined;
  private turn = 0;
  private answered = false;
  /** Keys of the claims at the caret that were reported last. */
  private reported = '';
  private readonly entityClaims: EntityClaims;

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
    private readonly dismissals: Dismissals,
    /** Told of the claims at the caret, where there are any. */
    private readonly onClaimsAtCaret: (claims: readonly ClaimRef[]) => void = () => {},
  ) {
    super(redraw);
    this.entityClaims = new EntityClaims(ask, (open) => this.redrawBeneath(open));
  }

  /** How many claims are shown of the file in sight. */
  get count(): number {
    const dismissed = this.dismissals.of(this.uri);
    return this.tied.filter((claim) => !dismissed.includes(tiedKey(claim))).length;
  }

  /**
   * Shows what is tied and named there; names only where the view is `visible`. While one document
   * is looked at, or a row is open, names do not move.
   */
  async look(part: VisiblePart | undefined, visible = true): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const tied = part ? await this.tiedTo(part) : undefined;
    const named = part && visible ? await this.namedIn(part) : [];
    if (turn !== this.turn) return;
    this.answered = true;
    const uri = part?.uri ?? '';
    const isSame = uri === this.uri;
    this.uri = uri;
    // A server that has just begun knows no ties yet: what is shown stays until it does.
    if (!(isSame && tied?.pending && this.tied.length > 0)) {
      this.tied = tied?.claims ?? [];
      this.pending = tied?.pending;
    }
    const { open } = this.entityClaims;
    this.named = steadyOrder(this.named, named, (key) => open.has(`${PARENT}/${key}`), isSame);
    this.draw();
  }

  /** A file is open before the server answered once: its claims are to come. */
  expect(uri: string): void {
    if (this.answered || this.roots.length > 0 || !uri.startsWith('file:')) return;
    this.pending = true;
    this.draw();
  }

  /** Marks the claims at the caret. */
  follow(caret: Caret): void {
    this.caret = caret;
    if (caret.uri === this.uri) this.draw();
  }

  /** Takes a claim out of the rows of this file, until it is restored. */
  dismiss(node: Node): void {
    if (node.kind !== 'claim' || !node.key) return;
    this.dismissals.add(this.uri, node.key);
    this.draw();
  }

  restore(): void {
    this.dismissals.clear(this.uri);
    this.draw();
  }

  clear(): void {
    this.turn += 1;
    this.named = [];
    this.tied = [];
    this.pending = undefined;
    this.answered = false;
    this.uri = '';
    this.entityClaims.forget();
    this.draw();
  }

  moveTo(generation: number): void {
    this.entityClaims.moveTo(generation);
  }

  /** Where the document in sight names the entity of a row first. */
  placeOf(node: Node): Range | null | undefined {
    return this.named.find(({ row }) => `${PARENT}/${keyOf(row)}` === node.id)?.row.range;
  }

  override children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    if (node.kind === 'list') return node.children;
    return node.kind === 'entity' ? this.entityClaims.claims(node, null) : [];
  }

  override expanded(node: Node, open: boolean): void {
    this.entityClaims.expanded(node, open);
  }

  private draw(): void {
    const { uri, caret, tied } = this;
    const here = caret?.uri === uri ? atCaret(tied, caret) : [];
    const named = this.named.map(({ row, gone }) =>
      entityNode(PARENT, row, gone && 'no longer in sight'),
    );
    const rows = [...tiedRows(PARENT, uri, tied, here, this.dismissals.of(uri)), ...named];
    const isEmpty = rows.length === 0 && this.pending !== undefined;
    this.show(isEmpty ? nothingRows(PARENT, this.pending ?? false) : rows);
    this.entityClaims.keepOpen(this.roots);
    // Only once: what somebody selects elsewhere stays while the caret stands still.
    const keys = here.map(tiedKey).join();
    if (keys && keys !== this.reported) this.onClaimsAtCaret(here);
    this.reported = keys;
  }

  private async tiedTo({ uri }: VisiblePart) {
    if (!uri.startsWith('file:')) return undefined;
    try {
      const { files, degraded } = await this.ask('vouch/files', { uri });
      const claims = inFileOrder(files[0]?.claims ?? []);
      return { claims, pending: degraded.includes('workspace_pending') };
    } catch {
      // No file, or none that the server knows; or the server is being started again.
      return uri === this.uri ? { claims: this.tied, pending: this.pending ?? false } : undefined;
    }
  }

  /** Each declared entity once, as the document names them first. */
  private async namedIn({ uri, range }: VisiblePart): Promise<readonly NamedEntity[]> {
    try {
      const { mentions } = await this.ask('vouch/mentions', { uri, range });
      const seen = mentions.filter((row) => row.listed && !subjectOf(row).isTopic);
      const first = new Map(seen.toReversed().map((row) => [keyOf(row), row]));
      return seen.filter((row) => first.get(keyOf(row)) === row);
    } catch {
      // The server does not have the document open, or is being started again.
      return uri === this.uri ? this.named.map(({ row }) => row) : [];
    }
  }
}
