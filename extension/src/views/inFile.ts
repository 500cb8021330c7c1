/** What the view "In this file" shows: the entities that the part of a document in sight names. */
import type { NamedEntity, Range } from '../protocol.gen';
import { arrange, type Shown } from './arrange';
import type { Ask, Model, Redraw, RootOf } from './ask';
import { Beneath } from './beneath';
import { keyOf, type Node, namedNode } from './nodes';
import { difference } from './rows';

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
  private uri: string | undefined;
  private turn = 0;
  private readonly beneath: Beneath;

  constructor(
    private readonly ask: Ask,
    rootOf: RootOf,
    private readonly redraw: Redraw,
  ) {
    this.beneath = new Beneath(ask, rootOf, redraw);
  }

  /** Shows what is named there. While one document is looked at, or a row is open, nothing moves. */
  async look(sight: Sight | undefined): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const found = sight ? await this.namedIn(sight) : [];
    if (turn !== this.turn) return;
    const same = sight?.uri === this.uri;
    this.uri = sight?.uri;
    this.shown = arrange(this.shown, found, (key) => this.isOpen(key), same);
    this.draw();
  }

  clear(): void {
    this.turn += 1;
    this.shown = [];
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
    return node.children ?? this.beneath.claims(node, null);
  }

  expanded(node: Node, open: boolean): void {
    this.beneath.expanded(node, open);
  }

  private isOpen(key: string): boolean {
    return this.beneath.open.has(`${PARENT}/${key}`);
  }

  private draw(): void {
    const after = this.shown.map(({ row, gone }) => namedNode(PARENT, row, gone));
    const found = difference(this.roots, after);
    this.roots = after;
    const ids = new Set(after.map(({ id }) => id));
    for (const [id, { kind }] of this.beneath.open) {
      if (kind === 'entity' && !ids.has(id)) this.beneath.open.delete(id);
    }
    if (found.kind !== 'none') this.redraw(found.kind === 'all' ? 'all' : found.ids);
  }

  /** Each entity once, as the document names them first. */
  private async namedIn({ uri, range, shows }: Sight): Promise<readonly NamedEntity[]> {
    try {
      const { mentions } = await this.ask('vouch/mentions', { uri, range });
      const seen = mentions.filter(
        ({ listed, range }) => listed && range && shows(range.start.line),
      );
      const first = new Map(seen.map((row) => [keyOf(row), row] as const).reverse());
      return seen.filter((row) => first.get(keyOf(row)) === row);
    } catch {
      return []; // The server does not have the document open (any more).
    }
  }
}

const idOf = (row: NamedEntity): string => `${PARENT}/${keyOf(row)}`;
