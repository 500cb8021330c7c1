/**
 * What the view "Experts" shows: ranked entities for a topic, with the claims that count, and whom
 * to ask beside them.
 */
import {
  type AuthorRow,
  type ExpertRow,
  type ExpertsResult,
  type PersonRow,
  type SearchHit,
  WEIGHTS,
} from '../protocol.gen';
import { joined, plural, quoted } from '../text/words';
import { type Ask, askClaim, claimNodes } from '../tree/claims';
import {
  entityIcon,
  entityNode,
  inLines,
  keyOf,
  listNode,
  type Node,
  noteNode,
  rowText,
} from '../tree/nodes';
import { Rows } from '../tree/rows';

export interface Question {
  readonly topic: string;
  readonly weight: string;
}

const LIMIT = 30;

export class Experts extends Rows {
  question: Question | undefined;
  private turn = 0;

  constructor(
    private readonly ask: Ask,
    redraw: () => void,
  ) {
    super(redraw);
  }

  async find(question: Question): Promise<void> {
    this.turn += 1;
    const { turn } = this;
    const answer = await this.ask('vouch/experts', { ...question, limit: LIMIT, explain: true });
    const groups = groupsOf(this.ask, answer);
    const { hits } =
      groups.length > 0 ? { hits: [] } : await this.ask('vouch/search', { query: question.topic });
    if (turn !== this.turn) return;
    this.question = question;
    const isFound = groups.length > 0;
    this.show(isFound ? groups : [otherwise(hits)], headingOf(question, answer, isFound));
  }

  /** Asks again, for instance because the knowledge has changed. */
  async refresh(): Promise<void> {
    if (this.question) await this.find(this.question);
  }

  /** Shows nothing; the question is kept, for when the server is back. */
  clear(): void {
    this.turn += 1;
    this.show([]);
  }
}

const GROUPS = {
  People: 'person',
  'Teams and owners': 'organization',
  'By commits': 'git-commit',
  'Systems and topics': 'server',
};
type Group = keyof typeof GROUPS;

const GROUP_OF: Readonly<Record<string, Group>> = {
  person: 'People',
  team: 'Teams and owners',
  company: 'Teams and owners',
  organization: 'Teams and owners',
};

/** People come first, then teams and owners, authors, and systems. */
function groupsOf(ask: Ask, { experts, people, by_commits }: ExpertsResult): Node[] {
  const ranked = new Set<string | null>(experts.map(({ entity_id }) => entity_id));
  const unranked = (people ?? []).filter(({ entity_id }) => !ranked.has(entity_id));
  const rows = [
    ...experts.map((row) => ({ type: row.type, node: expertNode(ask, row) })),
    ...unranked.map((row) => ({ type: row.type, node: personNode(row) })),
  ];
  return (Object.keys(GROUPS) as Group[]).flatMap((name) => {
    const members = rows
      .filter(({ type }) => (GROUP_OF[type.toLowerCase()] ?? 'Systems and topics') === name)
      .map(({ node }) => node);
    const nodes = name === 'By commits' ? (by_commits ?? []).map(authorNode) : members;
    return nodes.length > 0 ? [listNode(`group:${name}`, name, GROUPS[name], nodes)] : [];
  });
}

/** An entity, beneath which the claims are that count most. */
function expertNode(ask: Ask, row: ExpertRow): Node {
  const { name, type, explain: why, claim_count, citation_count, score } = row;
  const node = entityNode(`expert:${keyOf(row)}`, 'expert', row);
  const { collection } = node.subject;
  const ids = why?.claims.map(({ claim_id }) => claim_id) ?? row.top_claim_ids;
  const factors = Object.entries(why?.factors ?? {}).map((factor) => factor.join(' '));
  return {
    ...node,
    description: joined(
      why?.weight === 'citation'
        ? plural(citation_count, 'citation')
        : plural(claim_count, 'claim'),
      collection,
      type,
    ),
    tooltip: inLines(
      name,
      joined(type, plural(claim_count, 'claim'), plural(citation_count, 'citation')),
      why ? `${why.weight}: ${why.formula}` : null,
      joined(...factors, `score ${score}`),
    ),
    children: async () => {
      const claims = await Promise.all(ids.map((id) => askClaim(ask, { id, collection })));
      return claimNodes(node.id, claims, collection, claim_count - ids.length);
    },
  };
}

/** Somebody whom relations, claims or CODEOWNERS name, below the experts of the same group. */
function personNode({ entity_id, name, type, said, collection = null }: PersonRow): Node {
  return {
    id: `person:${JSON.stringify([collection, entity_id ?? name])}`,
    label: name,
    description: joined(said, collection),
    icon: entityIcon(type),
    // An owner is a handle, which leads nowhere.
    menu: entity_id === null ? 'owner' : 'person',
    ...(entity_id !== null && { subject: { id: entity_id, name, collection } }),
  };
}

/** Somebody who committed to the files that the claims are tied to, or wrote the claims. */
const authorNode = ({ name, commits, last, files, paths }: AuthorRow): Node => ({
  id: `author:${name}`,
  label: name,
  description: joined(plural(commits, 'commit'), last),
  tooltip: inLines(
    `${name}: ${plural(commits, 'commit')} to ${plural(files, 'file')}, the last on ${last}`,
    ...paths.map((file) => `${file.path} (${file.commits})`),
  ),
  icon: 'account',
  menu: 'author',
});

function headingOf({ topic, weight }: Question, answer: ExpertsResult, isFound: boolean): string {
  const { unmatched, degraded } = answer;
  return joined(
    isFound ? quoted([topic]) : `Nobody carries evidence on ${quoted([topic])}`,
    isFound && WEIGHTS[weight],
    unmatched && `${quoted(unmatched)} not known here`,
    degraded.includes('timed_out') && 'not all counted, time was up',
  );
}

/** What stands where nobody carries evidence. */
const otherwise = (hits: readonly SearchHit[]): Node =>
  hits.length > 0
    ? listNode('group:search', 'Found by search', 'search', hits.map(hitNode))
    : noteNode('search', 'A search finds nothing either', 'search');

const hitNode = ({ kind, id, title, snippet, collection, uri }: SearchHit): Node => ({
  id: `hit:${collection}/${kind}:${id}`,
  label: rowText(kind === 'claim' ? snippet : title),
  description: joined(kind, collection),
  tooltip: rowText(snippet),
  icon: 'search',
  menu: 'place',
  target: [uri],
});
