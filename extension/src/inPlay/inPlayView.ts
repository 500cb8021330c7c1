/** What the view "In play" shows: entities, then what a block for a prompt would hold. */
import { HIT_ICONS } from '../experts/expertRows';
import type { ContextItem, SalientEntity } from '../protocol.gen';
import type { Ask } from '../tree/ask';
import { claimRows } from '../tree/claims';
import { EntityClaims } from '../tree/entityClaims';
import {
  type EntityNode,
  entityNode,
  keyOf,
  type ListNode,
  type Node,
  rowText,
  whyNode,
} from '../tree/nodes';
import { type Redraw, Rows, type Shown, steadyOrder } from '../tree/rows';

const PARENT = 'inPlay';

/** Names of the newest sentence first, else as they are ranked. */
export const newestFirst = (rows: readonly SalientEntity[]): readonly SalientEntity[] =>
  rows.toSorted((a, b) => Number(b.newest) - Number(a.newest));

const BLOCK = 'block';

/** What goes into a block for a prompt, below one row. */
const blockNode = (children: readonly Node[]): ListNode => ({
  id: BLOCK,
  kind: 'list',
  label: 'For a prompt',
  spoken: `For a prompt, ${children.length}`,
  tooltip: ['What “Copy Context for Prompt” would take along for this text.'],
  icon: 'copy',
  open: true,
  children,
});

/** The lines of a block as rows, each sentence once. */
export async function blockRows(ask: Ask, items: readonly ContextItem[]): Promise<readonly Node[]> {
  const rowsOf = async (item: ContextItem): Promise<readonly Node[]> => {
    const { kind, id, collection } = item;
    if (kind !== 'claim') return [lineNode(item)];
    const { claim } = await ask('vouch/claim', { id }, collection);
    return claimRows(BLOCK, [claim], collection);
  };
  const rows = (await Promise.all(items.map(rowsOf))).flat();
  return [...new Map(rows.toReversed().map((row) => [row.label, row])).values()].toReversed();
}

/** A page, a relation or an entity of a block. */
function lineNode({ kind, id, collection, said, uri }: ContextItem): Node {
  const row = `${BLOCK}/${kind}:${collection ?? ''}:${id}`;
  const look = { id: row, label: rowText(said), description: kind, icon: HIT_ICONS[kind] };
  return uri === null
    ? { ...look, kind: 'note' }
    : { ...look, kind: 'place', target: { uris: [uri], passages: [] } };
}

export class InPlay extends Rows {
  private shown: readonly Shown<SalientEntity>[] = [];
  /** What a block for the text at hand would hold. */
  private block: readonly Node[] = [];
  private readonly entityClaims: EntityClaims;

  constructor(
    ask: Ask,
    redraw: Redraw,
    /** Rows that stand where nothing is in play. */
    private readonly placeholder: () => readonly Node[] = () => [],
  ) {
    super(redraw);
    this.entityClaims = new EntityClaims(ask, (open) => this.redrawBeneath(open));
  }

  get isEmpty(): boolean {
    return this.block.length === 0 && this.shown.length === 0;
  }

  /** Names of the entities. */
  get names(): string[] {
    return this.shown.map(({ row }) => row.name);
  }

  /** Takes a ranking; an empty one empties, whatever is open. */
  rank(salience: readonly SalientEntity[]): void {
    const { open } = this.entityClaims;
    const isOpen = (key: string) => open.has(`${PARENT}/${key}`);
    this.shown = salience.length === 0 ? [] : steadyOrder(this.shown, salience, isOpen);
    this.update();
  }

  /** Takes out a topic that somebody hid, though it, or a row below it, is open. */
  hide({ subject }: EntityNode): void {
    this.shown = this.shown.filter(({ row }) => row.name !== subject.name);
    this.update();
  }

  /** Takes the lines that a block for the text at hand would hold. */
  holdBlock(lines: readonly Node[]): void {
    this.block = lines;
    this.update();
  }

  clear(): void {
    this.shown = [];
    this.block = [];
    this.entityClaims.forget();
    this.update();
  }

  moveTo(generation: number): void {
    this.entityClaims.moveTo(generation);
  }

  override async children(node: Node): Promise<readonly Node[]> {
    if (node.kind === 'list') return node.children;
    const row = this.shown.find((shown) => `${PARENT}/${keyOf(shown.row)}` === node.id)?.row;
    if (node.kind !== 'entity' || !row) return [];
    return [whyNode(node.id, row), ...(await this.entityClaims.claims(node, row.top_claim_id))];
  }

  override expanded(node: Node, open: boolean): void {
    this.entityClaims.expanded(node, open);
  }

  update(): void {
    const entities = this.shown.map(({ row, gone }) =>
      entityNode(PARENT, row, gone && 'no longer in play'),
    );
    const rows = [...entities, ...(this.block.length > 0 ? [blockNode(this.block)] : [])];
    this.entityClaims.keepOpen(rows);
    this.show(rows.length > 0 ? rows : this.placeholder());
  }
}
