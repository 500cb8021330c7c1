/** What the view "In this file" shows: the claims that are tied to the file in sight, then the entities
 * that the part in sight names.
 */
import type { NamedEntity, Range, TiedClaim } from '../protocol.gen';
import type { Ask, Model, Redraw } from '../tree/ask';
import { EntityClaims } from '../tree/entityClaims';
import { type ClaimRef, keyOf, known, type Node, namedNode, subjectOf } from '../tree/nodes';
import { difference, type Shown, steadyOrder } from '../tree/rowOrder';
import {
  atCaret,
  type Caret,
  type Dismissals,
  inFileOrder,
  nothingRows,
  tiedKey,
  tiedRows,
} from './tied';

/** What is in sight of a document: from the first to the last line, without what is folded. */
export interface VisiblePart {
  readonly uri: string;
  readonly range: Range;
  shows(line: number): boolean;
}

const PARENT = 'file';

export class InFile implements Model {
  roots: readonly Node[] = [];
  private shown: readonly Shown<NamedEntity>[] = [];
  private tied: readonly TiedClaim[] = [];
  /** Whether ties are not worked out yet; undefined of what is no file. */
  private pending: boolean | undefined;
  private uri: string | undefined;
  private caret: Caret | undefined;
  private turn = 0;
  private answered = false;
  /** The claims at the caret that were told last. */
  private met = '';
  private readonly entityClaims: EntityClaims;

  constructor(
    private readonly ask: Ask,
    private readonly redraw: Redraw,
    private readonly dismissals: Dismissals,
    /** Told of the claims at the caret, where there are any. */
    private readonly meets: (claims: readonly ClaimRef[]) => void = () => {},
  ) {
    this.entityClaims = new EntityClaims(ask, redraw);
  }

  /** How many claims are shown of the file in sight. */
  get count(): number {
    const gone = this.uri ? this.dismissals.of(this.uri) : [];
    return this.tied.filter((claim) => !gone.includes(tiedKey(claim))).length;
  }

  /**
   * Shows what is tied and named there; names only where the view is `visible`. While one document
   * is looked at, or a row is open, names do not move.
   */
  async look(part: VisiblePart | undefined, visible = true): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const tied = part ? await this.tiedTo(part) : undefined;
    const found = part && visible ? await this.namedIn(part) : [];
    if (turn !== this.turn) return;
    this.answered = true;
    const same = part?.uri === this.uri;
    this.uri = part?.uri;
    // A server that has just begun knows no ties yet: what is shown stays until it does.
    if (!(same && tied?.pending && this.tied.length > 0)) {
      this.tied = tied?.claims ?? [];
      this.pending = tied?.pending;
    }
    this.shown = steadyOrder(this.shown, found, (key) => this.isOpen(key), same);
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
    if (!this.uri || node.kind !== 'claim' || !node.key) return;
    this.dismissals.add(this.uri, node.key);
    this.draw();
  }

  restore(): void {
    if (this.uri) this.dismissals.clear(this.uri);
    this.draw();
  }

  clear(): void {
    this.turn += 1;
    this.shown = [];
    this.tied = [];
    this.pending = undefined;
    this.answered = false;
    this.uri = undefined;
    this.entityClaims.open.clear();
    this.entityClaims.forget();
    this.draw();
  }

  moveTo(generation: number): Promise<void> {
    return this.entityClaims.moveTo(generation);
  }

  /** Where the document in sight names the entity of a row first. */
  placeOf(node: Node): Range | null | undefined {
    return this.shown.find(({ row }) => idOf(row) === node.id)?.row.range;
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    return known(node) ?? (node.kind === 'entity' ? this.entityClaims.claims(node, null) : []);
  }

  expanded(node: Node, open: boolean): void {
    this.entityClaims.expanded(node, open);
  }

  private isOpen(key: string): boolean {
    return this.entityClaims.open.has(`${PARENT}/${key}`);
  }

  private draw(): void {
    const named = this.shown.map(({ row, gone }) => namedNode(PARENT, row, gone));
    const dismissed = this.uri ? this.dismissals.of(this.uri) : [];
    const uri = this.uri ?? '';
    const here = this.caret?.uri === uri ? atCaret(this.tied, this.caret) : [];
    const rows = [...tiedRows(PARENT, uri, this.tied, here, dismissed), ...named];
    const after =
      rows.length > 0 || this.pending === undefined ? rows : nothingRows(PARENT, this.pending);
    const found = difference(this.roots, after);
    this.roots = after;
    const ids = new Set(after.map(({ id }) => id));
    for (const [id, { kind }] of this.entityClaims.open) {
      if (['entity', 'claim'].includes(kind) && !ids.has(id)) this.entityClaims.open.delete(id);
    }
    if (found.kind !== 'none') this.redraw(found.kind === 'all' ? 'all' : found.ids);
    // Only once: what somebody selects elsewhere stays while the caret stands still.
    const met = here.map(tiedKey).join();
    if (met && met !== this.met) this.meets(here);
    this.met = met;
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
  private async namedIn({ uri, range, shows }: VisiblePart): Promise<readonly NamedEntity[]> {
    try {
      const { mentions } = await this.ask('vouch/mentions', { uri, range });
      const seen = mentions.filter(
        (row) => row.listed && row.range && shows(row.range.start.line) && !subjectOf(row).isTopic,
      );
      const first = new Map(seen.map((row) => [keyOf(row), row] as const).reverse());
      return seen.filter((row) => first.get(keyOf(row)) === row);
    } catch {
      // The server does not have the document open, or is being started again.
      return uri === this.uri ? this.shown.map(({ row }) => row) : [];
    }
  }
}

const idOf = (row: NamedEntity): string => `${PARENT}/${keyOf(row)}`;
