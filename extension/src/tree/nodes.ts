/** Rows of the side panel as plain data, and the rows of entities; `tree.ts` draws them. */
import type { NamedEntity, SalientEntity } from '../protocol.gen';
import { joined, oneLine, plural, quoted } from '../text/words';

export interface Target {
  /** Files, the first that is there is opened. */
  readonly uris: readonly string[];
  /** Where in the file: a locator such as `L12`, then passages to look for. */
  readonly locator?: string | null;
  readonly passages: readonly string[];
}

/** How a row looks; `id` is stable for as long as the row means the same thing. */
interface Look {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Read aloud; label and description where there is nothing else to say. */
  readonly spoken?: string;
  /** Lines of the tooltip; the label where there is nothing else to say. */
  readonly tooltip?: readonly string[];
  readonly icon: string;
  readonly color?: string;
}

interface NoteNode extends Look {
  readonly kind: 'note';
}

/** A row that opens a place. */
interface PlaceNode extends Look {
  readonly kind: 'place';
  readonly target: Target;
}

interface CommandNode extends Look {
  readonly kind: 'command';
  readonly command: string;
}

/** A row that holds others; `open`: unfolded when it is first shown. */
export interface ListNode extends Look {
  readonly kind: 'list';
  readonly open: boolean;
  readonly children: readonly Node[];
}

/** A claim, as it is asked for. */
export interface ClaimRef {
  readonly id: string;
  readonly collection: string | null;
}

export interface ClaimNode extends Look {
  readonly kind: 'claim';
  readonly claim: ClaimRef;
  /** Where its line is: what it quotes, defines or names. */
  readonly target: Target;
  readonly file: Target;
  /** Of a claim on a file, what tells it from others there. */
  readonly key?: string;
}

/** An entity: one that is in play or named in sight, an expert, somebody to ask. */
export interface EntityNode extends Look {
  readonly kind: 'entity' | 'expert' | 'person';
  readonly subject: Subject;
  readonly open?: boolean;
  /** Why it is in play, with the arithmetic: shown where somebody asks for an explanation. */
  readonly figures?: string;
}

interface WhyNode extends Look {
  readonly kind: 'why';
  readonly subject: Subject;
  readonly figures: string;
}

export type Node = NoteNode | PlaceNode | CommandNode | ListNode | ClaimNode | EntityNode | WhyNode;

/** The name of what a row is about, else what it shows. */
export const nameOf = (node: Node): string => ('subject' in node ? node.subject.name : node.label);

/** What a row is about, for looking up what is beneath it. */
export interface Subject {
  readonly id: string;
  /** Nobody declared it: it has no file. */
  readonly isTopic: boolean;
  readonly name: string;
  readonly collection: string | null;
}

const ENTITY_ICONS: Readonly<Record<string, string>> = {
  person: 'person',
  team: 'organization',
  organization: 'organization',
  project: 'project',
  repo: 'repo',
  service: 'server-process',
  system: 'server',
  database: 'database',
  api: 'plug',
  file: 'file',
  tool: 'tools',
  library: 'library',
  incident: 'flame',
  decision: 'milestone',
  event: 'calendar',
  place: 'location',
  concept: 'lightbulb',
  topic: 'tag',
  workflow: 'git-merge',
};

const ARMS: Readonly<Record<SalientEntity['arm'], string>> = {
  name: 'named',
  alias: 'an alias of it',
  variant: 'a form of its name',
  partial: 'part of its name',
  derived: 'a topic that nobody declared',
  text: 'by full text',
  semantic: 'by meaning',
};

export const entityIcon = (type: string): string =>
  ENTITY_ICONS[type.toLowerCase()] ?? 'symbol-misc';

/** The text of a claim as a row has it: on one line, code without its marks. */
export const rowText = (text: string): string => oneLine(text.replaceAll('`', ''));

/** An entity that is in play, or that the file in sight names; `gone` says that it no longer is. */
export function entityNode(
  parent: string,
  row: SalientEntity | NamedEntity,
  gone: string | false,
): EntityNode {
  const isInPlay = 'why' in row;
  const claims = isInPlay && plural(row.claim_count, 'claim');
  const state = gone || (row.ambiguous && 'ambiguous');
  return {
    id: `${parent}/${keyOf(row)}`,
    kind: 'entity',
    label: row.name,
    description: joined(state, row.collection, row.type, claims),
    tooltip: [
      row.name,
      joined(row.type, claims, row.collection),
      isInPlay ? inWords(row) : 'Named where you are reading.',
    ],
    icon: entityIcon(row.type),
    subject: subjectOf(row),
    ...(isInPlay && { figures: row.why }),
  };
}

/** Why an entity is in play, without figures. */
const inWords = ({ matched, arm }: SalientEntity): string =>
  matched.length > 0 ? `In play because of ${quoted(matched)}, ${ARMS[arm]}.` : 'In play.';

export function whyNode(parent: string, row: SalientEntity): Node {
  return {
    id: `${parent}/why`,
    kind: 'why',
    label: quoted(row.matched) || 'In play',
    description: ARMS[row.arm],
    spoken: inWords(row),
    tooltip: [inWords(row), '“Explain” says how surely.'],
    icon: 'quote',
    subject: subjectOf(row),
    figures: row.why,
  };
}

export const noteNode = (parent: string, label: string, icon = 'info'): NoteNode => ({
  id: `${parent}/note`,
  kind: 'note',
  label,
  icon,
});

export const commandNode = (label: string, command: string, icon = 'ellipsis'): CommandNode => ({
  id: `command:${command}`,
  kind: 'command',
  label,
  icon,
  command,
});

/** A row that holds those that are too many for a glance. */
export const moreNode = (parent: string, label: string, children: readonly Node[]): ListNode => ({
  id: `${parent}/more`,
  kind: 'list',
  label,
  icon: 'ellipsis',
  open: false,
  children,
});

export interface EntityRow {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  readonly collection?: string | null;
}

/** What tells an entity from all others; the same id in two collections is two entities. */
export const keyOf = (row: EntityRow): string =>
  JSON.stringify([row.collection ?? null, row.entity_id]);

export const subjectOf = (row: EntityRow): Subject => ({
  id: row.entity_id,
  isTopic: row.type === 'topic' && row.entity_id.startsWith('topic:'),
  name: row.name,
  collection: row.collection ?? null,
});
