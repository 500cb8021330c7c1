/** What the view "In play" shows: entities of the own session, then other sessions by name. */
import type { EntityResult, SalientEntity } from '../protocol.gen';
import { arrange, type Shown } from './arrange';
import { type Ask, askEntity, type Model, type Redraw, type RootOf } from './ask';
import { claimNodes } from './claims';
import { entityNode, keyOf, type Node, noteNode, sessionNode, whyNode } from './nodes';
import { difference } from './rows';

const NEW_FOR_MS = 12_000;
const OTHER_SESSIONS = 16;

interface Session {
  shown: readonly Shown[];
  /** Entity key → when its mark as new ends. */
  readonly arrivals: Map<string, number>;
}

interface Known {
  readonly generation: number;
  readonly result: EntityResult;
}

export class InPlay implements Model {
  private readonly sessions = new Map<string, Session>();
  private readonly known = new Map<string, Known>();
  private readonly open = new Map<string, Node>();
  private readonly nodes = new Map<string, { session: string; shown: Shown }>();
  roots: readonly Node[] = [];
  private generation = 0;

  constructor(
    private readonly ask: Ask,
    private readonly rootOf: RootOf,
    private readonly redraw: Redraw,
    private readonly own: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** The words that brought the entities of the own session into play. */
  get words(): string {
    const shown = this.sessions.get(this.own)?.shown ?? [];
    const inPlay = shown.filter(({ gone }) => !gone);
    return inPlay.flatMap(({ row }) => row.matched).join(', ');
  }

  /** Takes a ranking; `marked` says whether newcomers are marked as new. */
  push(id: string, salience: readonly SalientEntity[], marked = true): void {
    const session = this.session(id);
    const before = new Set(session.shown.map(({ row }) => keyOf(row)));
    const until = this.now() + NEW_FOR_MS;
    for (const row of salience) {
      if (marked && !before.has(keyOf(row))) session.arrivals.set(keyOf(row), until);
    }
    session.shown = arrange(session.shown, salience, (key) => this.isOpen(id, key));
    for (const key of session.arrivals.keys()) {
      if (!session.shown.some(({ row }) => keyOf(row) === key)) session.arrivals.delete(key);
    }
    if (id !== this.own && salience.length === 0) this.sessions.delete(id);
    this.update();
    for (const open of this.open.keys()) if (!this.isShown(open)) this.open.delete(open);
  }

  /** When the next mark as new ends, in milliseconds of `now`. */
  get nextFade(): number | undefined {
    const ends = [...this.sessions.values()].flatMap(({ arrivals }) => [...arrivals.values()]);
    return ends.length > 0 ? Math.min(...ends) : undefined;
  }

  /** Takes off the marks whose time is over. */
  fade(): void {
    for (const { arrivals } of this.sessions.values()) {
      for (const [key, until] of arrivals) if (until <= this.now()) arrivals.delete(key);
    }
    this.update();
  }

  clear(): void {
    this.sessions.clear();
    this.known.clear();
    this.open.clear();
    this.update();
  }

  /** The knowledge has changed: open rows are asked for again, and drawn again where they differ. */
  async moveTo(generation: number): Promise<void> {
    if (generation === this.generation) return;
    this.generation = generation;
    const entities = [...this.open.values()].filter((node) => node.kind === 'entity');
    await Promise.all(entities.map((node) => this.refresh(node)));
  }

  /** After a restart the window is empty; what was shown stays if it may still be shown. */
  async revalidate(): Promise<void> {
    this.known.clear();
    for (const [id, session] of this.sessions) {
      const there = await Promise.all(session.shown.map(({ row }) => this.exists(row)));
      session.shown = session.shown.filter((_, at) => there[at]);
      if (id !== this.own) this.sessions.delete(id);
    }
    this.update();
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    if (node.children) return node.children;
    if (node.kind === 'session') return this.rows(node.id.slice('session:'.length));
    return node.kind === 'entity' ? this.beneath(node) : [];
  }

  expanded(node: Node, open: boolean): void {
    if (open) this.open.set(node.id, node);
    else this.open.delete(node.id);
  }

  private session(id: string): Session {
    let session = this.sessions.get(id);
    if (!session) {
      session = { shown: [], arrivals: new Map() };
      this.sessions.set(id, session);
      const others = [...this.sessions.keys()].filter((key) => key !== this.own);
      if (others.length > OTHER_SESSIONS) this.sessions.delete(others[0] as string);
    }
    return session;
  }

  private isOpen(session: string, key: string): boolean {
    return this.open.has(`${session}/${key}`);
  }

  private isShown(id: string): boolean {
    const at = this.nodes.get(id);
    const shown = at && this.sessions.get(at.session)?.shown;
    return !at || (shown?.some(({ row }) => keyOf(row) === keyOf(at.shown.row)) ?? false);
  }

  private rows(id: string): readonly Node[] {
    const session = this.sessions.get(id);
    return (session?.shown ?? []).map((shown) => {
      const isNew = session?.arrivals.has(keyOf(shown.row)) ?? false;
      const node = entityNode(id, shown.row, shown.gone, isNew);
      this.nodes.set(node.id, { session: id, shown });
      return node;
    });
  }

  private update(): void {
    const others = [...this.sessions].filter(([id]) => id !== this.own);
    const after = [
      ...this.rows(this.own),
      ...others.map(([id, { shown }]) => ({
        ...sessionNode(id, shown.length),
        rows: this.rows(id),
      })),
    ];
    const found = difference(this.roots, after);
    this.roots = after;
    if (found.kind !== 'none') this.redraw(found.kind === 'all' ? 'all' : found.ids);
  }

  private async beneath(node: Node): Promise<readonly Node[]> {
    const at = this.nodes.get(node.id);
    if (!at || !node.subject) return [];
    const why = whyNode(node.id, at.shown.row);
    try {
      const { result } = await this.look(node);
      const first = (id: string) => (id === at.shown.row.top_claim_id ? 0 : 1);
      const claims = [...result.claims].sort((a, b) => first(a.id) - first(b.id));
      return [why, ...claimNodes(node.id, claims, result.claim_count)];
    } catch (error) {
      return [why, noteNode(node.id, messageOf(error), 'error')];
    }
  }

  private async look(node: Node): Promise<Known> {
    const known = this.known.get(node.id);
    if (known && known.generation === this.generation) return known;
    const generation = this.generation;
    const result = await askEntity(this.ask, this.rootOf, node.subject as never);
    const fresh = { generation, result };
    this.known.set(node.id, fresh);
    return fresh;
  }

  private async refresh(node: Node): Promise<void> {
    const before = this.known.get(node.id);
    const look = (known: Known | undefined) => JSON.stringify(known?.result.claims);
    try {
      const after = await this.look(node);
      if (before && look(before) === look(after)) return;
    } catch {
      this.known.delete(node.id);
    }
    this.redraw([node.id]);
  }

  private async exists(row: SalientEntity): Promise<boolean> {
    try {
      const root = this.rootOf(row.collection ?? null);
      await this.ask('vouch/entity', { id: row.entity_id, root });
      return true;
    } catch {
      return false;
    }
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
