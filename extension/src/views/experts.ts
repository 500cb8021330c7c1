/** What the view "Experts" shows: ranked entities for a topic, with the claims that count. */
import type { ExpertRow, ExpertsResult } from '../protocol.gen';
import type { Ask, Model, Redraw, RootOf } from './ask';
import { claimNode } from './claims';
import { messageOf } from './inPlay';
import { expertNode, keyOf, type Node, noteNode } from './nodes';
import { difference } from './rows';

/** The first one is taken until another is chosen: it ranks best on the labelled topics. */
export const WEIGHTS = ['evidence', 'count', 'recency', 'citation'] as const;
export type Weight = (typeof WEIGHTS)[number];

export interface Question {
  readonly topic: string;
  readonly weight: Weight;
  /** Only entities of these types; empty for all. */
  readonly types: readonly string[];
}

const LIMIT = 20;
const HISTORY = 20;

export const WEIGHT_TITLES: Readonly<Record<Weight, string>> = {
  evidence: 'by weight of evidence',
  count: 'by number of claims',
  recency: 'by how recent they are',
  citation: 'by what they cite',
};

/** The line above the rows. */
export function headline({ topic, weight, types }: Question, rows: number): string {
  const asked = `“${topic.replaceAll(/\s+/g, ' ').trim()}”`;
  const only = types.length > 0 ? ` · only ${types.join(', ')}` : '';
  return rows > 0
    ? `${asked} · ${WEIGHT_TITLES[weight]}${only}`
    : `No claim speaks of ${asked}${only}.`;
}

/** Topics asked before, newest first, each once. */
export function remember(history: readonly string[], topic: string): string[] {
  return [topic, ...history.filter((before) => before !== topic)].slice(0, HISTORY);
}

export class Experts implements Model {
  question: Question | undefined;
  private readonly rowsById = new Map<string, ExpertRow>();
  private readonly beneath = new Map<string, readonly Node[]>();
  roots: readonly Node[] = [];
  private asked = 0;

  constructor(
    private readonly ask: Ask,
    private readonly rootOf: RootOf,
    private readonly redraw: Redraw,
  ) {}

  /** Asks, and shows the answer unless another question was asked meanwhile. */
  async find(question: Question): Promise<ExpertsResult | undefined> {
    this.question = question;
    this.asked += 1;
    const turn = this.asked;
    const { topic, weight, types } = question;
    const answer = await this.ask('vouch/experts', {
      topic,
      weight,
      limit: LIMIT,
      explain: true,
      ...(types.length > 0 ? { types: [...types] } : {}),
    });
    if (turn !== this.asked) return undefined;
    this.show(answer.experts);
    return answer;
  }

  /** Asks again, for instance because the knowledge has changed. */
  async again(): Promise<void> {
    if (this.question) await this.find(this.question);
  }

  clear(): void {
    this.question = undefined;
    this.asked += 1;
    this.show([]);
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    if (node.children) return node.children;
    return this.beneath.get(node.id) ?? this.claims(node);
  }

  expanded(): void {
    // Answers come on demand alone: nothing moves while a row is open.
  }

  private show(rows: readonly ExpertRow[]): void {
    const before = new Map(this.rowsById);
    this.rowsById.clear();
    const best = Math.max(0, ...rows.map(({ score }) => score));
    const after = rows.map((row) => {
      const node = expertNode(row, best);
      this.rowsById.set(node.id, row);
      return node;
    });
    const stale = after.filter(({ id }) => !sameEvidence(before.get(id), this.rowsById.get(id)));
    this.beneath.clear();
    const found = difference(this.roots, after);
    this.roots = after;
    if (found.kind === 'all') this.redraw('all');
    else {
      const touched = found.kind === 'some' ? found.ids : [];
      const ids = [...new Set([...touched, ...stale.map(({ id }) => id)])];
      if (ids.length > 0) this.redraw(ids);
    }
  }

  private async claims(node: Node): Promise<readonly Node[]> {
    const row = this.rowsById.get(node.id);
    if (!row) return [];
    const root = this.rootOf(row.collection ?? null);
    const ids = row.explain?.claims.map(({ claim_id }) => claim_id) ?? row.top_claim_ids;
    try {
      const views = await Promise.all(ids.map((id) => this.ask('vouch/claim', { id, root })));
      const nodes = views.map(({ claim }) => claimNode(node.id, claim));
      const unseen = row.claim_count - nodes.length;
      const all = unseen > 0 ? [...nodes, noteNode(node.id, `${unseen} more`, 'ellipsis')] : nodes;
      this.beneath.set(node.id, all);
      return all;
    } catch (error) {
      return [noteNode(node.id, messageOf(error), 'error')];
    }
  }
}

function sameEvidence(a: ExpertRow | undefined, b: ExpertRow | undefined): boolean {
  if (!a || !b) return false;
  const ids = (row: ExpertRow) => row.explain?.claims.map(({ claim_id }) => claim_id);
  return keyOf(a) === keyOf(b) && JSON.stringify(ids(a)) === JSON.stringify(ids(b));
}
