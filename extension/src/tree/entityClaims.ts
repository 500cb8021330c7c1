/** What stands beneath the rows of entities: asked for once, and again when the knowledge changes. */
import type { EntityResult } from '../protocol.gen';
import { messageOf } from '../text/errors';
import { type Ask, askEntity, type Redraw } from './ask';
import { claimNodes } from './claims';
import { type EntityNode, type Node, noteNode } from './nodes';

interface Known {
  readonly generation: number;
  readonly result: EntityResult;
}

export class EntityClaims {
  /** Rows that are unfolded, by id. */
  readonly open = new Map<string, Node>();
  private readonly known = new Map<string, Known>();
  private generation = 0;

  constructor(
    private readonly ask: Ask,
    private readonly redraw: Redraw,
  ) {}

  expanded(node: Node, open: boolean): void {
    if (open) this.open.set(node.id, node);
    else this.open.delete(node.id);
  }

  /** The claims of the entity of a row, the one with the id `first` before the others. */
  async claims(node: EntityNode, first: string | null): Promise<readonly Node[]> {
    try {
      const { result } = await this.look(node);
      const rank = (id: string) => (id === first ? 0 : 1);
      const claims = [...result.claims].sort((a, b) => rank(a.id) - rank(b.id));
      const nodes = claimNodes(node.id, claims, result.claim_count, node.subject.collection);
      return result.why ? [notDeclared(node.id, result.why), ...nodes] : nodes;
    } catch (error) {
      return [noteNode(node.id, messageOf(error), 'error')];
    }
  }

  /** The knowledge has changed: open rows are asked for again, and drawn again where they differ. */
  async moveTo(generation: number): Promise<void> {
    if (generation === this.generation) return;
    this.generation = generation;
    const open = [...this.open.values()];
    await Promise.all(open.map((node) => node.kind === 'entity' && this.refresh(node)));
  }

  forget(): void {
    this.known.clear();
  }

  private async look(node: EntityNode): Promise<Known> {
    const known = this.known.get(node.id);
    if (known && known.generation === this.generation) return known;
    const generation = this.generation;
    const result = await askEntity(this.ask, node.subject);
    const fresh = { generation, result };
    this.known.set(node.id, fresh);
    return fresh;
  }

  private async refresh(node: EntityNode): Promise<void> {
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
}

const notDeclared = (parent: string, why: string): Node => ({
  ...noteNode(`${parent}/topic`, 'Not declared', 'tag'),
  description: why,
  spoken: `Nobody declared it: ${why}`,
  tooltip: ['Nobody declared it', `Found as ${why}.`],
});
