/** What the view "Experts" shows: ranked entities for a topic, with the claims that count, then
 * whom to ask beside them.
 */
import {
  type AuthorRow,
  type ExpertRow,
  type ExpertsResult,
  type PersonRow,
  type SearchHit,
  WEIGHTS,
} from '../protocol.gen';
import { joined, oneLine, plural, quoted } from '../text/words';
import { type Ask, askClaim, claimNodes } from '../tree/claims';
import {
  commandNode,
  entityIcon,
  entityNode,
  keyOf,
  listNode,
  moreNode,
  type Node,
  noteNode,
  rowText,
  subjectOf,
} from '../tree/nodes';
import { type Redraw, Rows } from '../tree/rows';

/** Taken until another is chosen: it ranks best on the labelled topics. */
export const FIRST_WEIGHT = 'evidence';

export interface Question {
  readonly topic: string;
  readonly weight: string;
}

/** As many as can be asked for. */
const LIMIT = 100;
const SHOWN = 20;

type State =
  /** Nothing was asked. */
  | { readonly kind: 'blank' }
  | { readonly kind: 'answered'; readonly question: Question; readonly headline: string };

export class Experts extends Rows {
  private state: State = { kind: 'blank' };
  private turn = 0;

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
  ) {
    super(redraw);
  }

  get question(): Question | undefined {
    return this.state.kind === 'answered' ? this.state.question : undefined;
  }

  /** The line above the rows. */
  get headline(): string {
    return this.state.kind === 'answered' ? this.state.headline : '';
  }

  async find(question: Question): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const answer = await this.ask('vouch/experts', { ...question, limit: LIMIT });
    const { experts, people, by_commits } = answer;
    const isEmpty = !experts.length && !people?.length && !by_commits?.length;
    const hits = isEmpty ? (await this.ask('vouch/search', { query: question.topic })).hits : [];
    if (turn !== this.turn) return;
    this.state = { kind: 'answered', question, headline: headlineOf(question, answer) };
    this.show(isEmpty ? otherwise(hits) : this.nodes(question, answer));
  }

  /** Asks again, for instance because the knowledge has changed. */
  async refresh(): Promise<void> {
    if (this.question) await this.find(this.question);
  }

  /** Shows nothing; the question is kept, for when the server is back. */
  clear(): void {
    this.turn += 1;
    if (this.state.kind === 'answered') this.state = { ...this.state, headline: '' };
    this.show([]);
  }

  /** People come first, then teams and owners, authors, and systems. */
  private nodes(question: Question, { experts, people, by_commits }: ExpertsResult): Node[] {
    const cites = question.weight === 'citation';
    const figure = (row: ExpertRow) => (cites ? row.citation_count : row.claim_count);
    const digits = String(Math.max(0, ...experts.map(figure))).length;
    const expert = (row: ExpertRow) => this.expertNode(question, row, figure(row), digits);
    const ranked = new Set<string | null>(experts.map(({ entity_id }) => entity_id));
    const unranked = (people ?? []).filter(({ entity_id }) => !ranked.has(entity_id));
    const group = (name: Group) => {
      const rows = experts.slice(0, SHOWN).filter(({ type }) => groupOf(type) === name);
      const others = unranked.filter(({ type }) => groupOf(type) === name);
      const nodes = [...rows.map(expert), ...others.map(personNode)];
      const more = { description: rows.length === 0 ? '' : cites ? 'citations' : 'claims' };
      return nodes.length > 0 ? [listNode(`group:${name}`, name, GROUPS[name], nodes, more)] : [];
    };
    const rest = experts.slice(SHOWN).map(expert);
    return [
      ...group('People'),
      ...group('Teams and owners'),
      ...(by_commits?.length ? [authorsNode(by_commits)] : []),
      ...group('Systems and topics'),
      ...(rest.length > 0 ? [moreNode('experts', `${rest.length} more`, rest)] : []),
    ];
  }

  /** A row with its figure at the left, so that figures stand below each other. */
  private expertNode(question: Question, row: ExpertRow, figure: number, digits: number): Node {
    const node = entityNode(`expert:${keyOf(row)}`, 'expert', row);
    const counts = [plural(row.claim_count, 'claim'), plural(row.citation_count, 'citation')];
    const explained = async () => {
      const params = { ...question, types: [row.type], limit: LIMIT, explain: true };
      const { experts } = await this.ask('vouch/experts', params);
      return experts.find((other) => keyOf(other) === keyOf(row))?.explain;
    };
    return {
      ...node,
      label: `${String(figure).padStart(digits, FIGURE_SPACE)}  ${row.name}`,
      description: joined(row.collection, groupOf(row.type) === 'Systems and topics' && row.type),
      spoken: [row.name, row.type, row.collection, ...counts].filter(Boolean).join(', '),
      tooltip: async () => {
        const why = await explained();
        const factors = Object.entries(why?.factors ?? {}).map(
          ([name, value]) => `${name} ${value}`,
        );
        return [
          row.name,
          joined(row.type, ...counts),
          why ? `${why.weight}: ${why.formula}` : '',
          joined(...factors, `score ${row.score}`),
        ];
      },
      children: async () => {
        const counted = (await explained())?.claims.map(({ claim_id }) => claim_id);
        const ids = (counted ?? row.top_claim_ids).slice(0, SHOWN);
        const { collection } = subjectOf(row);
        const claims = await Promise.all(ids.map((id) => askClaim(this.ask, { id, collection })));
        return claimNodes(node.id, claims, row.claim_count, collection);
      },
    };
  }
}

function headlineOf({ topic, weight }: Question, answer: ExpertsResult): string {
  const { experts, people, by_commits, unmatched, degraded } = answer;
  const count = experts.length + (people?.length ?? 0) + (by_commits?.length ?? 0);
  return joined(
    count > 0 ? quoted([topic]) : `Nobody carries evidence on ${quoted([topic])}`,
    count > 0 && WEIGHTS[weight],
    unmatched && `${quoted(unmatched)} not known here`,
    degraded.includes('timed_out') && 'not all counted, time was up',
  );
}

/** What stands where nobody carries evidence: what a search finds, and another question. */
function otherwise(hits: readonly SearchHit[]): readonly Node[] {
  if (hits.length > 0) {
    return [listNode('group:search', 'Found by search', 'search', hits.map(hitNode))];
  }
  const nothing = noteNode('search', 'A search finds nothing either', 'search');
  return [nothing, commandNode('Find Experts', 'vouchSidecar.findExperts', 'search')];
}

/** As wide as a digit. */
const FIGURE_SPACE = '\u2007';

const GROUPS = {
  People: 'person',
  'Teams and owners': 'organization',
  'Systems and topics': 'server',
};
type Group = keyof typeof GROUPS;

const GROUP_OF: Readonly<Record<string, Group>> = {
  person: 'People',
  team: 'Teams and owners',
  company: 'Teams and owners',
  organization: 'Teams and owners',
};

const groupOf = (type: string): Group => GROUP_OF[type.toLowerCase()] ?? 'Systems and topics';

/** Somebody whom relations, claims or CODEOWNERS name, below the experts of the same group. */
function personNode(row: PersonRow): Node {
  const { entity_id, name, type, said, collection = null } = row;
  const isOwner = entity_id === null; // a handle, which leads nowhere
  const subject = isOwner ? undefined : subjectOf({ entity_id, name, type, collection });
  return {
    id: `person:${JSON.stringify([collection, entity_id ?? name])}`,
    label: name,
    description: joined(said, collection),
    tooltip: [joined(name, type, said, collection)],
    icon: entityIcon(type),
    menu: isOwner ? 'owner' : 'person',
    ...(subject && { subject }),
  };
}

/** Those who committed to the files of the claims. */
const authorsNode = (authors: readonly AuthorRow[]): Node =>
  listNode('group:by commits', 'By commits', 'git-commit', authors.map(authorNode), {
    description: 'most and newest first',
    tooltip: [
      'Who committed to the files that these claims are tied to, or wrote the claims.',
      'Newer commits count more.',
    ],
  });

function authorNode({ name, commits, last, files, paths }: AuthorRow): Node {
  const counts = `${plural(commits, 'commit')} to ${plural(files, 'file')}, the last on ${last}`;
  return {
    id: `author:${name}`,
    label: `${commits}  ${name}`,
    description: last,
    spoken: `${name}, ${counts}`,
    tooltip: [name, `${counts}.`, ...paths.map((file) => `${file.path} (${file.commits})`)],
    icon: 'account',
    menu: 'author',
  };
}

const HIT_ICONS: Readonly<Record<SearchHit['kind'], string>> = {
  claim: 'pass',
  page: 'book',
  entity: 'symbol-misc',
  relation: 'references',
  source: 'file',
};

function hitNode({ kind, id, title, snippet, stale, collection, uri }: SearchHit): Node {
  const isClaim = kind === 'claim';
  const label = rowText(isClaim ? snippet : title);
  return {
    id: `hit:${collection}/${kind}:${id}`,
    label,
    description: joined(!isClaim && kind, collection),
    tooltip: [label, oneLine(snippet), stale ?? ''],
    icon: stale ? 'history' : HIT_ICONS[kind],
    menu: isClaim ? 'claim' : 'place',
    target: { uris: [uri], passages: [snippet, 'text:'] },
    ...(isClaim && { claim: { id, collection } }),
  };
}
