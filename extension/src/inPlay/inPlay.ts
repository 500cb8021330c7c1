/** What the view "In play" shows: entities of the own session, then other sessions by name. */

import { HIT_ICONS } from '../experts/expertRows';
import type { ContextItem, SalientEntity } from '../protocol.gen';
import { type Ask, askEntity, type Model, type Redraw } from '../tree/ask';
import { claimRows } from '../tree/claims';
import { EntityClaims } from '../tree/entityClaims';
import {
  type EntityNode,
  entityNode,
  keyOf,
  known,
  type Node,
  rowText,
  sessionNode,
  subjectOf,
  whyNode,
} from '../tree/nodes';
import { difference, type Shown, steadyOrder } from '../tree/rowOrder';

const OTHER_SESSIONS = 16;

interface Session {
  shown: readonly Shown<SalientEntity>[];
}

/** Names of the newest sentence first, else as they are ranked. */
export const newestFirst = (rows: readonly SalientEntity[]): readonly SalientEntity[] =>
  rows.toSorted((a, b) => Number(b.newest) - Number(a.newest));

const BLOCK = 'block';

/** What goes into a block for a prompt, below one row. */
function blockNodes(children: readonly Node[]): readonly Node[] {
  if (children.length === 0) return [];
  const label = 'For a prompt';
  const tooltip = [label, 'What “Copy Context for Prompt” would take along for this text.'];
  const list = { id: BLOCK, kind: 'list', open: true, icon: 'copy' } as const;
  return [{ ...list, label, spoken: `${label}, ${children.length}`, tooltip, children }];
}

/** The lines of a block as rows. */
export async function linesOf(ask: Ask, items: readonly ContextItem[]): Promise<readonly Node[]> {
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

export class InPlay implements Model {
  private readonly sessions = new Map<string, Session>();
  private readonly nodes = new Map<string, { session: string; shown: Shown<SalientEntity> }>();
  roots: readonly Node[] = [];
  /** What a block for the text at hand would hold. */
  private block: readonly Node[] = [];
  private readonly entityClaims: EntityClaims;

  constructor(
    private readonly ask: Ask,
    private readonly redraw: Redraw,
    private readonly own: string,
    /** Rows that stand where nothing is in play. */
    private readonly instead: () => readonly Node[] = () => [],
  ) {
    this.entityClaims = new EntityClaims(ask, redraw);
  }

  get isEmpty(): boolean {
    return (
      this.block.length === 0 &&
      (this.sessions.size === 0 || [...this.sessions.values()].every((s) => s.shown.length === 0))
    );
  }

  /** The words that brought the entities of the own session into play. */
  get words(): string {
    const shown = this.sessions.get(this.own)?.shown ?? [];
    const inPlay = shown.filter(({ gone }) => !gone);
    return inPlay.flatMap(({ row }) => row.matched).join(', ');
  }

  /** Takes a ranking. */
  push(id: string, salience: readonly SalientEntity[]): void {
    const session = this.session(id);
    const isOpen = (key: string) => this.entityClaims.open.has(`${id}/${key}`);
    // An empty ranking empties, whatever is open.
    session.shown = salience.length > 0 ? steadyOrder(session.shown, salience, isOpen) : [];
    if (id !== this.own && salience.length === 0) this.sessions.delete(id);
    this.update();
    const { open } = this.entityClaims;
    for (const row of open.keys()) if (!this.isShown(row)) open.delete(row);
  }

  /** Takes the lines that a block for the text at hand would hold. */
  hold(lines: readonly Node[]): void {
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

  moveTo(generation: number): Promise<void> {
    return this.entityClaims.moveTo(generation);
  }

  /** After a restart the window is empty; what was shown stays if it may still be shown. */
  async revalidate(): Promise<void> {
    this.entityClaims.forget();
    for (const [id, session] of this.sessions) {
      const there = await Promise.all(session.shown.map(({ row }) => this.exists(row)));
      session.shown = session.shown.filter((_, at) => there[at]);
      if (id !== this.own) this.sessions.delete(id);
    }
    this.update();
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    return known(node) ?? (node.kind === 'entity' ? this.about(node) : []);
  }

  expanded(node: Node, open: boolean): void {
    this.entityClaims.expanded(node, open);
  }

  private session(id: string): Session {
    let session = this.sessions.get(id);
    if (!session) {
      session = { shown: [] };
      this.sessions.set(id, session);
      const others = [...this.sessions.keys()].filter((key) => key !== this.own);
      if (others.length > OTHER_SESSIONS) this.sessions.delete(others[0] as string);
    }
    return session;
  }

  private isShown(id: string): boolean {
    const at = this.nodes.get(id);
    const shown = at && this.sessions.get(at.session)?.shown;
    return !at || (shown?.some(({ row }) => keyOf(row) === keyOf(at.shown.row)) ?? false);
  }

  private rows(id: string): readonly EntityNode[] {
    const session = this.sessions.get(id);
    return (session?.shown ?? []).map((shown) => {
      const node = entityNode(id, shown.row, shown.gone);
      this.nodes.set(node.id, { session: id, shown });
      return node;
    });
  }

  update(): void {
    const others = [...this.sessions].filter(([id]) => id !== this.own);
    const sessions = others.map(([id]) => sessionNode(id, this.rows(id)));
    const rows = [...this.rows(this.own), ...blockNodes(this.block), ...sessions];
    const after = rows.length > 0 ? rows : this.instead();
    const found = difference(this.roots, after);
    this.roots = after;
    if (found.kind !== 'none') this.redraw(found.kind === 'all' ? 'all' : found.ids);
  }

  private async about(node: EntityNode): Promise<readonly Node[]> {
    const row = this.nodes.get(node.id)?.shown.row;
    if (!row) return [];
    return [whyNode(node.id, row), ...(await this.entityClaims.claims(node, row.top_claim_id))];
  }

  private async exists(row: SalientEntity): Promise<boolean> {
    try {
      await askEntity(this.ask, subjectOf(row));
      return true;
    } catch {
      return false;
    }
  }
}
