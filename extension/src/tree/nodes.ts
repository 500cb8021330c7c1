/** Rows of the side panel as plain data, and the rows of entities; `tree.ts` draws them. */
import { joined, oneLine, plural } from '../text/words';

/** URIs of files, the first that is there is opened, with a line as in `#L12` where that is known. */
export type Target = readonly string[];

/** A claim or an entity, as it is asked for. */
export interface Ref {
  readonly id: string;
  readonly collection: string | null;
}

/** An entity; a topic, which nobody declared, has no file. */
export interface Subject extends Ref {
  readonly name: string;
}

/** A row; `id` is stable for as long as the row means the same thing. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Or how to ask for it; the label where there is nothing else to say. */
  readonly tooltip?: string | (() => Promise<string>);
  readonly icon: string;
  readonly warns?: boolean;
  /** What menus go by. */
  readonly menu?: string;
  /** What a click does: runs a command, or opens a place or a claim. */
  readonly command?: string;
  readonly target?: Target;
  readonly claim?: Ref;
  readonly subject?: Subject;
  /** What is beneath it, or how to ask for that; shown unfolded at first where it is `open`. */
  readonly children?: readonly Node[] | (() => Promise<Node[]>);
  readonly open?: boolean;
}

const ENTITY_ICONS: Readonly<Record<string, string>> = {
  person: 'person',
  team: 'organization',
  organization: 'organization',
  system: 'server',
  service: 'server',
  incident: 'flame',
  concept: 'lightbulb',
  topic: 'tag',
};

export const entityIcon = (type: string): string =>
  ENTITY_ICONS[type.toLowerCase()] ?? 'symbol-misc';

/** A text as a row has it: on one line, code without its marks. */
export const rowText = (text: string): string => oneLine(text.replaceAll('`', ''));

export const inLines = (...lines: (string | null | false)[]): string =>
  lines.filter(Boolean).join('\n');

export const noteNode = (parent: string, label: string, icon = 'info'): Node => ({
  id: `${parent}/note:${label}`,
  label,
  icon,
});

/** A row that holds others. */
export const listNode = (
  id: string,
  label: string,
  icon: string,
  children: readonly Node[],
  more: Partial<Node> = {},
): Node => ({ id, label, icon, children, open: true, ...more });

interface EntityRow {
  readonly entity_id: string;
  readonly name: string;
  readonly type: string;
  readonly claim_count: number;
  readonly collection?: string | null;
}

/** What tells an entity from all others; the same id in two collections is two entities. */
export const keyOf = ({ entity_id, collection = null }: EntityRow): string =>
  JSON.stringify([collection, entity_id]);

export const isTopic = ({ id }: Ref): boolean => id.startsWith('topic:');

/** The row of an entity with its number of claims. */
export function entityNode(
  id: string,
  menu: string,
  row: EntityRow,
): Node & { readonly subject: Subject; readonly description: string } {
  const { entity_id, name, type, claim_count, collection = null } = row;
  const subject = { id: entity_id, name, collection };
  return {
    id,
    label: name,
    description: joined(collection, type, plural(claim_count, 'claim')),
    icon: entityIcon(type),
    menu: isTopic(subject) ? `${menu} topic` : menu,
    subject,
  };
}
