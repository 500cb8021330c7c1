/** What the view "Experts" shows: ranked entities for a topic, and whom to ask beside them. */
import {
  type Author,
  type ExpertRow,
  type ExpertsResult,
  type PersonToAsk,
  WEIGHTS,
} from '../protocol.gen';
import { joined, plural, quoted } from '../text/words';
import {
  type Ask,
  askClaim,
  claimNodes,
  entityIcon,
  entityNode,
  inLines,
  keyOf,
  listNode,
  type Node,
} from '../tree/nodes';
import { Rows } from '../tree/rows';

export interface Question {
  readonly topic: string;
  readonly weight: string;
}

export class Experts extends Rows {
  question: Question | undefined;
  private turn = 0;

  constructor(private readonly ask: Ask) {
    super();
  }

  async find(question: Question): Promise<void> {
    const turn = ++this.turn;
    const answer = await this.ask('vouch/experts', { ...question, limit: 30, explain: true });
    if (turn !== this.turn) return;
    this.question = question;
    const groups = groupsOf(this.ask, answer);
    this.show(groups, headingOf(question, answer, groups.length > 0));
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

const PEOPLE = ['person', 'team', 'company', 'organization'];

/** People, teams and owners come first, then authors, then systems. */
function groupsOf(ask: Ask, { experts, people, by_commits }: ExpertsResult): Node[] {
  const ranked = new Set<string | null>(experts.map(({ entity_id }) => entity_id));
  const unranked = (people ?? []).filter(({ entity_id }) => !ranked.has(entity_id));
  const isPerson = ({ type }: ExpertRow) => PEOPLE.includes(type.toLowerCase());
  const nodes = (arePeople: boolean) =>
    experts.filter((row) => isPerson(row) === arePeople).map((row) => expertNode(ask, row));
  const persons = [...nodes(true), ...unranked.map(personNode)];
  return [
    listNode('group:People', 'People and teams', 'person', persons),
    listNode('group:By commits', 'By commits', 'git-commit', (by_commits ?? []).map(authorNode)),
    listNode('group:Systems', 'Systems and topics', 'server', nodes(false)),
  ].filter(({ children }) => children?.length);
}

/** An entity, beneath which the claims are that count most. */
function expertNode(ask: Ask, row: ExpertRow): Node {
  const { name, type, explain, claim_count, citation_count } = row;
  const node = entityNode(`expert:${keyOf(row)}`, 'expert', row);
  const { collection } = node.subject;
  const ids = explain?.map(({ claim_id }) => claim_id) ?? row.top_claim_ids;
  const best = () => Promise.all(ids.map((id) => askClaim(ask, { id, collection })));
  return {
    ...node,
    tooltip: async () => {
      const days = (await best()).map(({ date }) => date?.slice(0, 10) ?? '');
      const last = days.sort().at(-1);
      return inLines(
        `${name} · ${type}`,
        `${plural(claim_count, 'claim')} on this, with ${plural(citation_count, 'citation')}`,
        last && `last confirmed or changed on ${last}`,
      );
    },
    children: async () => claimNodes(node.id, await best(), collection, claim_count - ids.length),
  };
}

/** Somebody whom relations, claims or CODEOWNERS name, below the experts of the same group. */
function personNode({ entity_id, name, type, said, collection = null }: PersonToAsk): Node {
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
const authorNode = ({ name, commits, last, files, paths }: Author): Node => ({
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
