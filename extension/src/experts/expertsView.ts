/** What the view "Experts" shows: ranked entities for a topic, with the claims that count. */
import { type ExpertRow, type ExpertsResult, WEIGHTS } from '../protocol.gen';
import { joined, messageOf, oneLine, plural, quoted } from '../text/words';
import type { Ask } from '../tree/ask';
import { claimNodes } from '../tree/claims';
import {
  commandNode,
  type EntityNode,
  keyOf,
  type ListNode,
  moreNode,
  type Node,
  noteNode,
  subjectOf,
} from '../tree/nodes';
import { type Redraw, Rows } from '../tree/rows';
import {
  authorsNode,
  expertNode,
  type Figure,
  GROUPS,
  groupNode,
  groupOf,
  hitsNode,
  ownNode,
  personNode,
} from './expertRows';

/** Taken until another is chosen: it ranks best on the labelled topics. */
export const FIRST_WEIGHT = 'evidence';

export interface Question {
  readonly topic: string;
  readonly weight: string;
  /** Only entities of these types; empty for all. */
  readonly types: readonly string[];
}

/** As many as can be asked for. */
const LIMIT = 100;
const SHOWN = 20;
const HISTORY = 20;

/**
 * The line above the rows; `own` is the row of the entity that the topic is the name of, `notes` is
 * what the answer says of itself.
 */
export function headline(
  { topic, weight, types }: Question,
  rows: number,
  own: ExpertRow | undefined,
  notes = '',
): string {
  const quotedTopic = quoted([topic]);
  const only = types.length > 0 ? ` · only ${types.join(', ')}` : '';
  if (!own && rows === 0) return joined(`Nobody carries evidence on ${quotedTopic}${only}`, notes);
  const about = own && `${own.name} · ${own.type} · ${plural(own.claim_count, 'claim')}`;
  return rows > 0
    ? joined(about ?? quotedTopic, WEIGHTS[weight], notes)
    : `${about}. They name nobody else.`;
}

/** The one row whose entity has the topic as its name. */
function ownRow(topic: string, rows: readonly ExpertRow[]): ExpertRow | undefined {
  const folded = (text: string) => oneLine(text).toLowerCase();
  const sameName = rows.filter(({ name }) => folded(name) === folded(topic));
  return sameName.length === 1 ? sameName[0] : undefined;
}

/** Topics asked before, newest first, each once. */
export function remember(history: readonly string[], topic: string): string[] {
  return [topic, ...history.filter((before) => before !== topic)].slice(0, HISTORY);
}

export class Experts extends Rows {
  question: Question | undefined;
  /** The line above the rows. */
  headline = '';
  private readonly rowsById = new Map<string, ExpertRow>();
  private questions = 0;
  /** What is shown: a question with its answer, whatever the generation. */
  private shown = '';
  /** The claims of the topic that was asked for. */
  private ownClaims: readonly Node[] = [];

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
    /** The files that a path below a knowledge base may mean. */
    private readonly filesAt: (path: string) => readonly string[] = () => [],
  ) {
    super(redraw);
  }

  /** Asks, and shows the answer unless another question was asked meanwhile. */
  async find(question: Question): Promise<void> {
    this.question = question;
    this.questions += 1;
    const turn = this.questions;
    const { topic, weight, types } = question;
    const only = types.length > 0 ? { types } : {};
    const answer = await this.ask('vouch/experts', { topic, weight, limit: LIMIT, ...only });
    const isEmpty = !answer.experts.length && !answer.people?.length && !answer.by_commits?.length;
    const otherwise = isEmpty ? await this.otherwise(question) : [];
    const own = ownRow(topic, answer.experts);
    const ownClaims = own && subjectOf(own).isTopic ? await this.claims(ownNode(own), own) : [];
    const shown = JSON.stringify([question, { ...answer, generation: 0 }, ownClaims, otherwise]);
    if (turn !== this.questions || shown === this.shown) return;
    this.shown = shown;
    this.ownClaims = ownClaims;
    this.roots = [...this.nodes(question, answer), ...otherwise];
    this.redraw();
  }

  /** Asks again, for instance because the knowledge has changed. */
  async refresh(): Promise<void> {
    if (this.question) await this.find(this.question);
  }

  /** Types of the entities that a topic has evidence on, whatever is filtered now. */
  async typesOf(topic: string): Promise<string[]> {
    const { experts } = await this.ask('vouch/experts', { topic, limit: LIMIT });
    return experts.map(({ type }) => type);
  }

  /** Nothing is shown; the question is kept, for when the server is back. */
  clear(): void {
    this.questions += 1;
    this.headline = '';
    this.shown = '';
    this.show([]);
  }

  override children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    if (node.kind === 'list') return node.children;
    if (node.kind === 'expert' && node.open) return this.ownClaims;
    const row = this.rowsById.get(node.id);
    return row ? this.claims(node, row) : [];
  }

  /** The expert of a row, with what its place follows from. */
  async explain({ id }: Node): Promise<ExpertRow | undefined> {
    const row = this.rowsById.get(id);
    return row && this.explainRow(row);
  }

  private async explainRow(row: ExpertRow): Promise<ExpertRow | undefined> {
    if (!this.question) return undefined;
    const { topic, weight } = this.question;
    const params = { topic, weight, types: [row.type], limit: LIMIT, explain: true };
    const { experts } = await this.ask('vouch/experts', params);
    return experts.find((other) => keyOf(other) === keyOf(row));
  }

  /** What stands where nobody carries evidence: what a search finds, and another question. */
  private async otherwise({ topic, types }: Question): Promise<readonly Node[]> {
    if (types.length > 0) return [commandNode('Filter Experts…', 'vouchSidecar.filterExperts')];
    const { hits } = await this.ask('vouch/search', { query: topic });
    if (hits.length > 0) return [hitsNode(hits)];
    const nothing = noteNode('search', 'A search finds nothing either', 'search');
    return [nothing, commandNode('Find Experts', 'vouchSidecar.findExperts', 'search')];
  }

  /** People come first, then teams and owners, authors, and systems; `own` claims before all. */
  private nodes(question: Question, answer: ExpertsResult): Node[] {
    const { experts, people, by_commits, unmatched, degraded } = answer;
    const own = ownRow(question.topic, experts);
    const ranked = new Set<string | null>(experts.map(({ entity_id }) => entity_id));
    const unranked = (people ?? []).filter(({ entity_id }) => !ranked.has(entity_id));
    const rows = GROUPS.flatMap((group) =>
      experts.filter((row) => row !== own && groupOf(row.type) === group),
    );
    const notes = joined(
      unmatched && `${quoted(unmatched)} not known here`,
      degraded.includes('timed_out') && 'not all counted, time was up',
    );
    const count = rows.length + unranked.length + (by_commits?.length ?? 0);
    this.headline = headline(question, count, own, notes);
    this.rowsById.clear();
    const figure: Figure = question.weight === 'citation' ? 'citation_count' : 'claim_count';
    const digits = String(Math.max(0, ...rows.map((row) => row[figure]))).length;
    const expert = (row: ExpertRow) => this.rowOf(expertNode(row, figure, digits), row);
    const [persons, teams, systems] = GROUPS.map((group) => {
      const shown = rows.slice(0, SHOWN).filter(({ type }) => groupOf(type) === group);
      const others = unranked.filter(({ type }) => groupOf(type) === group);
      const nodes = [...shown.map(expert), ...others.map(personNode)];
      return nodes.length > 0 ? [groupNode(group, figure, nodes)] : [];
    }) as [ListNode[], ListNode[], ListNode[]];
    const rest = rows.slice(SHOWN).map(expert);
    return [
      ...(own && subjectOf(own).isTopic ? [this.rowOf(ownNode(own), own)] : []),
      ...persons,
      ...teams,
      ...(by_commits?.length ? [authorsNode(by_commits, this.filesAt)] : []),
      ...systems,
      ...(rest.length > 0 ? [moreNode('experts', `${rest.length} more`, rest)] : []),
    ];
  }

  private rowOf(node: EntityNode, row: ExpertRow): EntityNode {
    this.rowsById.set(node.id, row);
    return node;
  }

  /** The claims that count most for a row: more than the three that every row names. */
  private async claims(node: Node, row: ExpertRow): Promise<readonly Node[]> {
    const collection = row.collection ?? null;
    try {
      const explained = await this.explainRow(row);
      const counted = explained?.explain?.claims.map(({ claim_id }) => claim_id);
      const ids = (counted ?? row.top_claim_ids).slice(0, SHOWN);
      const results = await Promise.all(
        ids.map((id) => this.ask('vouch/claim', { id }, collection)),
      );
      const claims = results.map(({ claim }) => claim);
      return claimNodes(node.id, claims, row.claim_count, collection);
    } catch (error) {
      return [noteNode(node.id, messageOf(error), 'error')];
    }
  }
}
