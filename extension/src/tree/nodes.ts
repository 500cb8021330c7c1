/** Rows of the side panel as plain data, and the rows of entities; `tree.ts` draws them. */
import { joined, oneLine, plural } from '../text/words';

/** A place in a file. */
export interface Target {
  /** Files, the first that is there is opened. */
  readonly uris: readonly string[];
  /** Where in the file: a locator such as `L12`, then passages to look for. */
  readonly locator?: string | null;
  readonly passages: readonly string[];
}

/** A claim, as it is asked for. */
export interface ClaimRef {
  readonly id: string;
  readonly collection: string | null;
}

/** An entity, as it is asked for. */
export interface Subject {
  readonly id: string;
  /** Nobody declared it: it has no file. */
  readonly isTopic: boolean;
  readonly name: string;
  readonly collection: string | null;
}

/** A row; `id` is stable for as long as the row means the same thing. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Read aloud; label and description where there is nothing else to say. */
  readonly spoken?: string;
  /** Lines of the tooltip, or how to ask for them; the label where there is nothing else to say. */
  readonly tooltip?: readonly string[] | (() => Promise<readonly string[]>);
  readonly icon: string;
  readonly color?: string;
  /** What menus go by. */
  readonly menu?: string;
  /** What a click does: runs a command, or opens a place or a claim. */
  readonly command?: string;
  readonly target?: Target;
  readonly claim?: ClaimRef;
  readonly subject?: Subject;
  /** Of a claim on a file, what tells it from others there. */
  readonly key?: string;
  /** What is beneath it, or how to ask for that; shown unfolded at first where it is `open`. */
  readonly children?: readonly Node[] | (() => Promise<readonly Node[]>);
  readonly open?: boolean;
}

export const WARNS = 'list.warningForeground';

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

export const entityIcon = (type: string): string =>
  ENTITY_ICONS[type.toLowerCase()] ?? 'symbol-misc';

/** A text as a row has it: on one line, code without its marks. */
export const rowText = (text: string): string => oneLine(text.replaceAll('`', ''));

export const noteNode = (parent: string, label: string, icon = 'info'): Node => ({
  id: `${parent}/note:${label}`,
  label,
  icon,
});

export const commandNode = (label: string, command: string, icon = 'ellipsis'): Node => ({
  id: `command:${command}`,
  label,
  icon,
  command,
});

/** A row that holds others. */
export const listNode = (
  id: string,
  label: string,
  icon: string,
  children: readonly Node[],
  more: Partial<Node> = {},
): Node => ({
  id,
  label,
  icon,
  children,
  spoken: `${label}, ${children.length}`,
  open: true,
  ...more,
});

/** A row that holds those that are too many for a glance. */
export const moreNode = (parent: string, label: string, children: readonly Node[]): Node =>
  listNode(`${parent}/more`, label, 'ellipsis', children, { open: false });

interface EntityRow {
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

/** The row of an entity with its number of claims. */
export function entityNode(
  id: string,
  menu: string,
  row: EntityRow & { readonly claim_count: number },
): Node & { readonly subject: Subject } {
  const subject = subjectOf(row);
  const claims = plural(row.claim_count, 'claim');
  return {
    id,
    label: row.name,
    description: joined(row.collection, row.type, claims),
    icon: entityIcon(row.type),
    menu: subject.isTopic ? `${menu} topic` : menu,
    subject,
  };
}
