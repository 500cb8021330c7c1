/** What the view "Experts" shows: ranked entities for a topic, with the claims that count. */
import { type ExpertRow, type ExpertsResult, type PersonRow, WEIGHTS } from '../protocol.gen';
import { messageOf } from '../text/errors';
import { oneLine, quoted } from '../text/words';
import type { Ask, Model, Redraw } from '../tree/ask';
import { claimRows } from '../tree/claims';
import {
  commandNode,
  type EntityNode,
  joined,
  keyOf,
  known,
  type ListNode,
  type Node,
  noteNode,
  plural,
  subjectOf,
} from '../tree/nodes';
import { difference } from '../tree/rowOrder';
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
  const asked = quoted([topic]);
  if (own) {
    const about = `${own.name} · ${own.type} · ${plural(own.claim_count, 'claim')}`;
    return rows > 0
      ? joined(`${about} · ${WEIGHTS[weight]}`, notes)
      : `${about}. They name nobody else.`;
  }
  const only = types.length > 0 ? ` · only ${types.join(', ')}` : '';
  if (rows > 0) return joined(`${asked} · ${WEIGHTS[weight]}`, notes);
  return joined(`Nobody carries evidence on ${asked}${only}`, notes);
}

/** The one row whose entity has the topic as its name. */
function ownRow(topic: string, rows: readonly ExpertRow[]): ExpertRow | undefined {
  const folded = (text: string) => oneLine(text).toLowerCase();
  const found = rows.filter(({ name }) => folded(name) === folded(topic));
  return found.length === 1 ? found[0] : undefined;
}

/** Topics asked before, newest first, each once. */
export function remember(history: readonly string[], topic: string): string[] {
  return [topic, ...history.filter((before) => before !== topic)].slice(0, HISTORY);
}

export class Experts implements Model {
  question: Question | undefined;
  private readonly rowsById = new Map<string, ExpertRow>();
  private readonly claimsByRow = new Map<string, readonly Node[]>();
  roots: readonly Node[] = [];
  /** The entity that the topic is the name of: it stands above the rows. */
  own: ExpertRow | undefined;
  /** The others, people first. */
  private rows: readonly ExpertRow[] = [];
  /** Whom relations, claims and CODEOWNERS name. */
  private people: readonly PersonRow[] = [];
  /** Those who committed: behind people, teams and owners. */
  private authors: ListNode[] = [];
  /** What a search finds where nobody carries evidence. */
  private hits: Node[] = [];
  /** Words of the topic that nothing here holds, and whether time was up before all was counted. */
  notes = '';
  private everyone = false;
  private asked = 0;

  constructor(
    private readonly ask: Ask,
    private readonly redraw: Redraw,
    /** Writes the line above the rows: before these, as it would push them down. */
    private readonly describe: () => void = () => {},
    /** The files that a path below a knowledge base may mean. */
    private readonly at: (path: string) => readonly string[] = () => [],
    /** Whether there is anything to ask about: where nothing can be read, the view says that. */
    private readonly isReadable: () => boolean = () => true,
  ) {}

  /** Asks, and shows the answer unless another question was asked meanwhile. */
  async find(question: Question): Promise<ExpertsResult | undefined> {
    if (question.topic !== this.question?.topic) this.everyone = false;
    this.question = question;
    this.asked += 1;
    const turn = this.asked;
    const { topic, weight, types } = question;
    const answer = await this.ask('vouch/experts', {
      topic,
      weight,
      limit: LIMIT,
      ...(types.length > 0 ? { types: [...types] } : {}),
    });
    const nobody = !answer.experts.length && !answer.people?.length && !answer.by_commits?.length;
    const found = nobody && !types.length ? await this.ask('vouch/search', { query: topic }) : null;
    if (turn !== this.asked) return undefined;
    const again = commandNode('Find Experts', 'vouchSidecar.findExperts', 'search');
    this.hits = found ? [hitsNode(found.hits), ...(found.hits.length ? [] : [again])] : [];
    this.show(answer);
    return answer;
  }

  /** Asks again, for instance because the knowledge has changed. */
  async again(): Promise<void> {
    if (this.question) await this.find(this.question);
  }

  /** How many rows there are to show, whom to ask and those by commits included. */
  get count(): number {
    const authors = this.authors[0]?.children.length ?? 0;
    return this.rows.length + this.people.length + authors;
  }

  showEveryone(): void {
    this.everyone = true;
    this.draw();
  }

  children(node: Node): readonly Node[] | Promise<readonly Node[]> {
    return known(node) ?? this.claimsByRow.get(node.id) ?? this.claims(node);
  }

  expanded(): void {
    // Answers come on demand alone: nothing moves while a row is open.
  }

  /** The expert of a row, with what its place follows from. */
  async explain(node: Node): Promise<ExpertRow | undefined> {
    const row = this.rowsById.get(node.id);
    return row && this.explained(row);
  }

  private show(answer: ExpertsResult): void {
    const { experts: rows, people, by_commits } = answer;
    this.authors = by_commits?.length ? [authorsNode(by_commits, this.at)] : [];
    const { unmatched, degraded } = answer;
    this.notes = joined(
      unmatched && `${quoted(unmatched)} not known here`,
      degraded.includes('timed_out') && 'not all counted, time was up',
    );
    this.own = this.question && ownRow(this.question.topic, rows);
    const others = rows.filter((row) => row !== this.own);
    this.rows = GROUPS.flatMap((group) => others.filter(({ type }) => groupOf(type) === group));
    const ranked = new Set<string | null>(rows.map(({ entity_id }) => entity_id));
    this.people = (people ?? []).filter(({ entity_id }) => !ranked.has(entity_id));
    this.draw();
  }

  draw(): void {
    const before = new Map(this.rowsById);
    this.rowsById.clear();
    const after = this.isReadable() ? [...this.nodes(), ...this.hits] : [];
    const stale = [...this.rowsById.keys()].filter(
      (id) => JSON.stringify(before.get(id)) !== JSON.stringify(this.rowsById.get(id)),
    );
    this.claimsByRow.clear();
    this.describe();
    const found = difference(this.roots, after);
    this.roots = after;
    if (found.kind === 'all') this.redraw('all');
    else {
      const ids = [...new Set([...(found.kind === 'some' ? found.ids : []), ...stale])];
      if (ids.length > 0) this.redraw(ids);
    }
  }

  private nodes(): Node[] {
    const all = this.rows.length;
    if (all + this.people.length === 0 && (this.question?.types.length ?? 0) > 0) {
      return [commandNode('Show all types', 'vouchSidecar.allTypes')];
    }
    const shown = this.everyone ? this.rows : this.rows.slice(0, SHOWN);
    const figure: Figure = this.question?.weight === 'citation' ? 'citation_count' : 'claim_count';
    const digits = String(Math.max(0, ...shown.map((row) => row[figure]))).length;
    const groups = GROUPS.flatMap((group) => {
      const rows = shown.filter(({ type }) => groupOf(type) === group);
      const nodes = rows.map((row) => this.rowOf(expertNode(row, figure, digits), row));
      const people = this.people.filter(({ type }) => groupOf(type) === group).map(personNode);
      const all = [...nodes, ...people];
      return all.length > 0 ? [groupNode(group, figure, all)] : [];
    });
    const systems = groups.filter(({ label }) => label === 'Systems and topics');
    const first = groups.filter((group) => !systems.includes(group));
    const own = this.own && subjectOf(this.own).isTopic ? [this.own] : [];
    const claims = own.map((row) => this.rowOf(ownNode(row), row));
    const label = `${SHOWN} of ${all} · show all`;
    const more = shown.length < all ? [commandNode(label, 'vouchSidecar.showAllExperts')] : [];
    return [...claims, ...first, ...this.authors, ...systems, ...more];
  }

  private rowOf(node: EntityNode, row: ExpertRow): EntityNode {
    this.rowsById.set(node.id, row);
    return node;
  }

  private async claims(node: Node): Promise<readonly Node[]> {
    const row = this.rowsById.get(node.id);
    if (!row) return [];
    const collection = row.collection ?? null;
    try {
      const ids = await this.counted(row);
      const views = await Promise.all(ids.map((id) => this.ask('vouch/claim', { id }, collection)));
      const claims = views.map(({ claim }) => claim);
      const nodes = claimRows(node.id, claims, collection);
      const unseen = row.claim_count - claims.length;
      const all = unseen > 0 ? [...nodes, noteNode(node.id, `${unseen} more`, 'ellipsis')] : nodes;
      this.claimsByRow.set(node.id, all);
      return all;
    } catch (error) {
      return [noteNode(node.id, messageOf(error), 'error')];
    }
  }

  /** The claims that count most for a row: more than the three that every row names. */
  private async counted(row: ExpertRow): Promise<readonly string[]> {
    if (row.claim_count <= row.top_claim_ids.length) return row.top_claim_ids;
    const explained = await this.explained(row);
    return explained?.explain?.claims.map(({ claim_id }) => claim_id) ?? row.top_claim_ids;
  }

  private async explained(row: ExpertRow): Promise<ExpertRow | undefined> {
    if (!this.question) return undefined;
    const { topic, weight } = this.question;
    const { experts } = await this.ask('vouch/experts', {
      topic,
      weight,
      types: [row.type],
      limit: LIMIT,
      explain: true,
    });
    return experts.find((other) => keyOf(other) === keyOf(row));
  }
}
