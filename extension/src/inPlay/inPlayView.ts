/** What the view "In play" shows: entities of the own session, then other sessions by name. */
import { HIT_ICONS } from '../experts/expertRows';
import type { ContextItem, SalientEntity } from '../protocol.gen';
import { type Ask, askEntity } from '../tree/ask';
import { claimRows } from '../tree/claims';
import { EntityClaims } from '../tree/entityClaims';
import {
  type EntityNode,
  entityNode,
  type ListNode,
  type Node,
  rowText,
  subjectOf,
  whyNode,
} from '../tree/nodes';
import { type Redraw, Rows, type Shown, steadyOrder } from '../tree/rows';

const OTHER_SESSIONS = 16;

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

/** The lines of a block as rows. */
export async function blockRows(ask: Ask, items: readonly ContextItem[]): Promise<readonly Node[]> {
  const rows: Node[] = [];
  for (const item of items) {
    const { kind, id, collection } = item;
    if (kind === 'claim') {
      const { claim } = await ask('vouch/claim', { id }, collection);
      rows.push(...claimRows(BLOCK, [claim], collection));
    } else rows.push(lineNode(item));
  }
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

/** A session from outside this editor. */
const sessionNode = (id: string, children: readonly Node[]): ListNode => ({
  id: `session:${id}`,
  kind: 'list',
  label: id,
  description: `${children.length} in play`,
  tooltip: [`Session ${id}`, 'What is in play in a session from outside this editor.'],
  icon: 'comment-discussion',
  open: false,
  children,
});

export class InPlay extends Rows {
  private readonly sessions = new Map<string, readonly Shown<SalientEntity>[]>();
  private readonly rowsById = new Map<string, SalientEntity>();
  /** What a block for the text at hand would hold. */
  private block: readonly Node[] = [];
  private readonly entityClaims: EntityClaims;

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
    private readonly own: string,
    /** Rows that stand where nothing is in play. */
    private readonly placeholder: () => readonly Node[] = () => [],
  ) {
    super(redraw);
    this.entityClaims = new EntityClaims(ask, (open) => this.redrawBeneath(open));
  }

  get isEmpty(): boolean {
    return this.block.length === 0 && [...this.sessions.values()].every(({ length }) => !length);
  }

  /** Names of the entities of the own session. */
  get names(): string[] {
    return this.shownIn(this.own).map(({ row }) => row.name);
  }

  /** The words that brought the entities of the own session into play. */
  get words(): string {
    const inPlay = this.shownIn(this.own).filter(({ gone }) => !gone);
    return inPlay.flatMap(({ row }) => row.matched).join(', ');
  }

  /** Takes the ranking of a session. */
  push(session: string, salience: readonly SalientEntity[]): void {
    const { open } = this.entityClaims;
    const isOpen = (key: string) => open.has(`${session}/${key}`);
    // An empty ranking empties, whatever is open.
    const isEmpty = salience.length === 0;
    const shown = isEmpty ? [] : steadyOrder(this.shownIn(session), salience, isOpen);
    this.sessions.set(session, shown);
    if (isEmpty && session !== this.own) this.sessions.delete(session);
    const [oldest, ...others] = this.others;
    if (oldest !== undefined && others.length >= OTHER_SESSIONS) this.sessions.delete(oldest);
    this.update();
  }

  /** Takes out a topic that somebody hid, though it, or a row below it, is open. */
  hide({ subject }: EntityNode): void {
    for (const [session, shown] of this.sessions) {
      const left = shown.filter(({ row }) => row.name !== subject.name);
      this.sessions.set(session, left);
    }
    this.update();
  }

  /** Takes the lines that a block for the text at hand would hold. */
  holdBlock(lines: readonly Node[]): void {
    this.block = lines;
    this.update();
  }

  clear(): void {
    this.sessions.clear();
    this.block = [];
    this.entityClaims.forget();
    this.entityClaims.open.clear();
    this.update();
  }

  moveTo(generation: number): void {
    this.entityClaims.moveTo(generation);
  }

  /** After a restart the window is empty; what was shown stays if it may still be shown. */
  async revalidate(): Promise<void> {
    this.entityClaims.forget();
    const before = this.sessions.get(this.own);
    const shown = before ?? [];
    const isThere = await Promise.all(
      shown.map(({ row }) => {
        const entity = askEntity(this.ask, subjectOf(row));
        return entity.then(
          () => true,
          () => false,
        );
      }),
    );
    if (this.sessions.get(this.own) !== before) return; // it was cleared or ranked anew meanwhile
    const left = shown.filter((_, at) => isThere[at]);
    this.sessions.clear();
    this.sessions.set(this.own, left);
    this.update();
  }

  override async children(node: Node): Promise<readonly Node[]> {
    if (node.kind === 'list') return node.children;
    const row = this.rowsById.get(node.id);
    if (node.kind !== 'entity' || !row) return [];
    return [whyNode(node.id, row), ...(await this.entityClaims.claims(node, row.top_claim_id))];
  }

  override expanded(node: Node, open: boolean): void {
    this.entityClaims.expanded(node, open);
  }

  update(): void {
    this.rowsById.clear();
    const own = this.rowsOf(this.own);
    const block = this.block.length > 0 ? [blockNode(this.block)] : [];
    const sessions = this.others.map((id) => sessionNode(id, this.rowsOf(id)));
    const rows = [...own, ...block, ...sessions];
    const { open } = this.entityClaims;
    for (const id of open) if (!this.rowsById.has(id)) open.delete(id);
    this.show(rows.length > 0 ? rows : this.placeholder());
  }

  private get others(): string[] {
    return [...this.sessions.keys()].filter((id) => id !== this.own);
  }

  private shownIn(session: string): readonly Shown<SalientEntity>[] {
    return this.sessions.get(session) ?? [];
  }

  private rowsOf(session: string): readonly EntityNode[] {
    return this.shownIn(session).map(({ row, gone }) => {
      const node = entityNode(session, row, gone && 'no longer in play');
      this.rowsById.set(node.id, row);
      return node;
    });
  }
}
