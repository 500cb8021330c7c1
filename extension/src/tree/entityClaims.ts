/** What stands beneath the rows of entities: asked for once, and again when the knowledge changes. */
import type { EntityResult } from '../protocol.gen';
import { messageOf } from '../text/words';
import { type Ask, askEntity } from './ask';
import { claimNodes } from './claims';
import { type EntityNode, type Node, noteNode } from './nodes';

export class EntityClaims {
  /** Ids of the rows that are unfolded. */
  readonly open = new Set<string>();
  private readonly results = new Map<string, Promise<EntityResult>>();
  private generation = 0;

  constructor(
    private readonly ask: Ask,
    /** Draws what is beneath these rows. */
    private readonly redraw: (open: ReadonlySet<string>) => void,
  ) {}

  expanded({ id }: Node, open: boolean): void {
    if (open) this.open.add(id);
    else this.open.delete(id);
  }

  /** These are the rows that are left: the others are open no more. */
  keepOpen(rows: readonly Node[]): void {
    const ids = new Set(rows.map(({ id }) => id));
    for (const id of this.open) if (!ids.has(id)) this.open.delete(id);
  }

  /** The claims of the entity of a row, the one with the id `first` before the others. */
  async claims(node: EntityNode, first: string | null): Promise<readonly Node[]> {
    try {
      const { claims, claim_count, why } = await this.resultOf(node);
      const rank = (id: string) => (id === first ? 0 : 1);
      const sorted = claims.toSorted((a, b) => rank(a.id) - rank(b.id));
      const nodes = claimNodes(node.id, sorted, claim_count, node.subject.collection);
      return why ? [notDeclared(node.id, why), ...nodes] : nodes;
    } catch (error) {
      this.results.delete(node.id);
      return [noteNode(node.id, messageOf(error), 'error')];
    }
  }

  /** The knowledge has changed: what is beneath open rows is asked for again as it is drawn. */
  moveTo(generation: number): void {
    if (generation === this.generation) return;
    this.generation = generation;
    this.forget();
    if (this.open.size > 0) this.redraw(this.open);
  }

  forget(): void {
    this.results.clear();
  }

  private resultOf(node: EntityNode): Promise<EntityResult> {
    const result = this.results.get(node.id) ?? askEntity(this.ask, node.subject);
    this.results.set(node.id, result);
    return result;
  }
}

const notDeclared = (parent: string, why: string): Node => ({
  ...noteNode(`${parent}/topic`, 'Not declared', 'tag'),
  description: why,
  tooltip: ['Nobody declared it', `Found as ${why}.`],
});
