/** Rows of the view "Experts" as plain data: experts, their groups, whom to ask, authors. */
import type { AuthorFileRow, AuthorRow, ExpertRow, PersonRow, SearchHit } from '../protocol.gen';
import { joined, oneLine, plural } from '../text/words';
import {
  type EntityNode,
  entityIcon,
  keyOf,
  type ListNode,
  type Node,
  noteNode,
  rowText,
  subjectOf,
} from '../tree/nodes';

/** What the figure before an expert's name counts. */
export type Figure = 'claim_count' | 'citation_count';

/** As wide as a digit. */
const FIGURE_SPACE = '\u2007';

/** A row with its figure at the left, `digits` wide, so that figures stand below each other. */
export function expertNode(row: ExpertRow, figure: Figure, digits: number): EntityNode {
  const counts = [plural(row.claim_count, 'claim'), plural(row.citation_count, 'citation')];
  return {
    id: `expert:${keyOf(row)}`,
    kind: 'expert',
    label: `${String(row[figure]).padStart(digits, FIGURE_SPACE)}  ${row.name}`,
    description: joined(row.collection, groupOf(row.type) === 'Systems and topics' && row.type),
    spoken: [row.name, row.type, row.collection, ...counts].filter(Boolean).join(', '),
    tooltip: [
      row.name,
      joined(row.type, row.collection),
      `${counts[0]} on this topic, with ${counts[1]} between them. Unfold the row to read them.`,
    ],
    icon: entityIcon(row.type),
    subject: subjectOf(row),
  };
}

/** The topic that was asked for, with its own claims. */
export const ownNode = (row: ExpertRow): EntityNode => ({
  ...expertNode(row, 'claim_count', 1),
  label: `Claims of ${row.name}`,
  icon: 'tag',
  open: true,
});

export const GROUPS = ['People', 'Teams and owners', 'Systems and topics'] as const;
type Group = (typeof GROUPS)[number];

const GROUP_OF: Readonly<Record<string, Group>> = {
  person: 'People',
  team: 'Teams and owners',
  company: 'Teams and owners',
  organization: 'Teams and owners',
};

export const groupOf = (type: string): Group =>
  GROUP_OF[type.toLowerCase()] ?? 'Systems and topics';

export function groupNode(group: Group, figure: Figure, children: readonly Node[]): ListNode {
  const counted = figure === 'claim_count' ? 'claims' : 'citations';
  return {
    id: `group:${group}`,
    kind: 'list',
    label: group,
    description: counted,
    spoken: `${group}, ${children.length}`,
    tooltip: [`${group}, with the number of their ${counted} on this topic`],
    icon: group === 'People' ? 'person' : group === 'Teams and owners' ? 'organization' : 'server',
    open: true,
    children,
  };
}

/** Somebody whom relations, claims or CODEOWNERS name, below the experts of the same group. */
export function personNode(row: PersonRow): Node {
  const { entity_id, name, type, collection } = row;
  if (entity_id === null) return ownerNode(row);
  const entity = { entity_id, name, type, collection: collection ?? null };
  const reason = joined(
    row.relation?.replaceAll('_', ' '),
    row.via && `via ${row.via}`,
    row.claim_count > 0 && plural(row.claim_count, 'claim'),
  );
  return {
    id: `person:${keyOf(entity)}`,
    kind: 'person',
    label: row.name,
    description: joined(reason, row.collection),
    tooltip: [joined(row.name, row.type, reason, row.collection)],
    icon: entityIcon(row.type),
    subject: subjectOf(entity),
  };
}

/** An owner by CODEOWNERS: a handle, which leads nowhere. */
function ownerNode({ name, type, via, collection }: PersonRow): Node {
  return {
    id: `owner:${collection ?? ''}:${name}`,
    kind: 'note',
    label: name,
    description: joined('owns the files', collection),
    tooltip: [name, joined(type, `owns ${via ?? 'the files'} by CODEOWNERS`, collection)],
    icon: entityIcon(type),
  };
}

/** Those who committed to the files of the claims, each with these files, which `filesAt` finds. */
export function authorsNode(authors: readonly AuthorRow[], filesAt: FilesAt): ListNode {
  return {
    id: 'group:by commits',
    kind: 'list',
    label: 'By commits',
    spoken: `By commits, ${authors.length}`,
    description: 'most and newest first',
    tooltip: [
      'Who committed to the files that these claims are tied to, or wrote the claims.',
      'Newer commits count more.',
    ],
    icon: 'git-commit',
    open: true,
    children: authors.map((author) => authorNode(author, filesAt)),
  };
}

/** The files that a path below a knowledge base may mean: one in each. */
type FilesAt = (path: string) => readonly string[];

function authorNode({ name, commits, last, files, paths }: AuthorRow, filesAt: FilesAt): ListNode {
  const counts = `${plural(commits, 'commit')} to ${plural(files, 'file')}, the last on ${last}`;
  const id = `author:${name}`;
  const unnamed = files - paths.length;
  const more = unnamed > 0 ? [noteNode(id, `${plural(unnamed, 'more file')}`, 'ellipsis')] : [];
  return {
    id,
    kind: 'list',
    label: `${commits}  ${name}`,
    description: last,
    spoken: `${name}, ${counts}`,
    tooltip: [name, `${counts}.`],
    icon: 'account',
    open: false,
    children: [...paths.map((path) => fileNode(id, path, filesAt)), ...more],
  };
}

function fileNode(parent: string, { path, commits, last }: AuthorFileRow, filesAt: FilesAt): Node {
  const counts = joined(plural(commits, 'commit'), last);
  return {
    id: `${parent}/${path}`,
    kind: 'place',
    label: path.split('/').at(-1) ?? path,
    description: counts,
    spoken: `${path}, ${counts}`,
    tooltip: [path, counts],
    icon: 'file',
    target: { uris: filesAt(path), passages: [] },
  };
}

export const HIT_ICONS: Readonly<Record<SearchHit['kind'], string>> = {
  claim: 'pass',
  page: 'book',
  entity: 'symbol-misc',
  relation: 'references',
  source: 'file',
};

/** What a search finds where nobody carries evidence on the topic. */
export const hitsNode = (hits: readonly SearchHit[]): ListNode => ({
  id: 'group:search',
  kind: 'list',
  label: 'Found by search',
  tooltip: ['What holds words of the topic, best first.'],
  icon: 'search',
  open: true,
  children: hits.map(hitNode),
});

function hitNode({ kind, id, title, snippet, stale, collection, uri }: SearchHit): Node {
  const label = rowText(kind === 'claim' ? snippet : title);
  const target = { uris: [uri], passages: [snippet, 'text:'] };
  const look = {
    id: `hit:${collection}/${kind}:${id}`,
    label,
    description: joined(kind !== 'claim' && kind, collection),
    tooltip: [label, oneLine(snippet), stale ?? ''],
    icon: stale ? 'history' : HIT_ICONS[kind],
    target,
  };
  if (kind !== 'claim') return { ...look, kind: 'place' };
  return { ...look, kind: 'claim', claim: { id, collection }, file: target };
}
