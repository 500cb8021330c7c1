/** What the view "In this file" shows: the claims that are tied to the file in sight, then the entities
 * that the part in sight names.
 */
import type { NamedEntity, Range, TiedClaim } from '../protocol.gen';
import { arrange, difference, type Shown } from './arrange';
import type { Ask, Model, Redraw } from './ask';
import { Beneath } from './beneath';
import { type ClaimRef, keyOf, known, type Node, namedNode, subjectOf } from './nodes';
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
export interface Sight {
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
  private readonly beneath: Beneath;

  constructor(
    private readonly ask: Ask,
    private readonly redraw: Redraw,
    private readonly dismissals: Dismissals,
    /** Told of the claims at the caret, where there are any. */
    private readonly meets: (claims: readonly ClaimRef[]) => void = () => {},
  ) {
    this.beneath = new Beneath(ask, redraw);
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
  async look(sight: Sight | undefined, visible = true): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const tied = sight ? await this.tiedTo(sight) : undefined;
    const found = sight && visible ? await this.namedIn(sight) : [];
    if (turn !== this.turn) return;
    const same = sight?.uri === this.uri;
    this.uri = sight?.uri;
    // A server that has just begun knows no ties yet: what is shown stays until it does.
    if (!(same && tied?.pending && this.tied.length > 0)) {
      this.tied = tied?.claims ?? [];
      this.pending = tied?.pending;
    }
    this.shown = arrange(this.shown, found, (key) => this.isOpen(key), same);
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
    this.uri = undefined;
    this.beneath.open.clear();
    this.beneath.forget();
    this.draw();
  }

  moveTo(generation: number): Promise<void> {
    return this.beneath.moveTo(generation);
  }

  /** Where the document in sight names the entity of a row first. */
  placeOf(node: Node): Range | null | undefined {
    return this.shown.find(({ row }) => idOf(row) === node.id)?.row.range;
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    return known(node) ?? (node.kind === 'entity' ? this.beneath.claims(node, null) : []);
  }

  expanded(node: Node, open: boolean): void {
    this.beneath.expanded(node, open);
  }

  private isOpen(key: string): boolean {
    return this.beneath.open.has(`${PARENT}/${key}`);
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
    for (const [id, { kind }] of this.beneath.open) {
      if (['entity', 'claim'].includes(kind) && !ids.has(id)) this.beneath.open.delete(id);
    }
    if (found.kind !== 'none') this.redraw(found.kind === 'all' ? 'all' : found.ids);
    if (here.length > 0) this.meets(here);
  }

  private async tiedTo({ uri }: Sight) {
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
  private async namedIn({ uri, range, shows }: Sight): Promise<readonly NamedEntity[]> {
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
