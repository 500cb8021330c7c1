/** Rows of the side panel as plain data: what they say, without saying how VS Code draws them. */
import type { ExpertRow, SalientEntity } from '../protocol.gen';

export interface Target {
  /** Files, the first that is there is opened. */
  readonly uris: readonly string[];
  /** Where in the file: a locator such as `L12`, then words to look for. */
  readonly locator?: string | null;
  readonly needles: readonly string[];
}

/** A row; `id` is stable for as long as the row means the same thing. */
export interface Node {
  readonly id: string;
  readonly kind:
    | 'session'
    | 'entity'
    | 'expert'
    | 'why'
    | 'claim'
    | 'facts'
    | 'more'
    | 'citation'
    | 'note';
  readonly label: string;
  readonly description: string;
  /** Read aloud in place of label and description. */
  readonly spoken: string;
  /** Plain lines; the first is the heading. */
  readonly tooltip: readonly string[];
  readonly icon: string;
  readonly color?: string;
  readonly branch: boolean;
  readonly target?: Target;
  /** How it stands in its list, shown by colour. */
  readonly mark?: 'new' | 'gone';
  readonly subject?: Subject;
  /** Rows beneath that are known already. */
  readonly children?: readonly Node[];
}

/** What a row is about, for looking up what is beneath it. */
export interface Subject {
  readonly id: string;
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
  workflow: 'git-merge',
};

const ARMS: Readonly<Record<SalientEntity['arm'], string>> = {
  name: 'named',
  alias: 'an alias of it',
  variant: 'a form of its name',
  partial: 'part of its name',
  text: 'by full text',
};

export const entityIcon = (type: string): string =>
  ENTITY_ICONS[type.toLowerCase()] ?? 'symbol-misc';

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export const joined = (...parts: (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join(' · ');

const quoted = (words: readonly string[]): string =>
  words.map((word) => `“${word.replaceAll(/\s+/g, ' ').trim()}”`).join(', ');

export function entityNode(
  parent: string,
  row: SalientEntity,
  gone: boolean,
  isNew: boolean,
): Node {
  const claims = plural(row.claim_count, 'claim');
  const state = gone ? 'no longer in play' : row.ambiguous ? 'ambiguous' : null;
  return {
    id: `${parent}/${keyOf(row)}`,
    kind: 'entity',
    label: row.name,
    description: joined(state, row.collection, row.type, claims),
    spoken: [row.name, row.type, claims, state, isNew && 'new'].filter(Boolean).join(', '),
    tooltip: [row.name, joined(row.type, claims, row.collection), `In play: ${row.why}`],
    icon: entityIcon(row.type),
    ...(gone ? { color: 'disabledForeground', mark: 'gone' } : isNew ? { mark: 'new' } : {}),
    branch: true,
    subject: subjectOf(row),
  };
}

/** The words that named an entity. */
export function whyNode(parent: string, row: SalientEntity): Node {
  const words = quoted(row.matched);
  return {
    id: `${parent}/why`,
    kind: 'why',
    label: words || row.why,
    description: words ? ARMS[row.arm] : '',
    spoken: `In play because of ${words || row.why}, ${ARMS[row.arm]}`,
    tooltip: ['Why it is in play', row.why],
    icon: 'quote',
    branch: false,
  };
}

export function sessionNode(id: string, count: number): Node {
  const inPlay = `${count} in play`;
  return {
    id: `session:${id}`,
    kind: 'session',
    label: id,
    description: inPlay,
    spoken: `Session ${id}, ${inPlay}`,
    tooltip: [`Session ${id}`, 'What is in play in a session from outside this editor.'],
    icon: 'comment-discussion',
    branch: true,
  };
}

export function noteNode(parent: string, label: string, icon = 'info'): Node {
  return {
    id: `${parent}/note`,
    kind: 'note',
    label,
    description: '',
    spoken: label,
    tooltip: [label],
    icon,
    branch: false,
  };
}

const BAR = 6;

/** A bar for `share`, 0 to 1; whatever scores at all fills a cell. It leaves room for the counts. */
export function bar(share: number): string {
  const full = share > 0 ? Math.max(1, Math.round(Math.min(1, share) * BAR)) : 0;
  return '━'.repeat(full) + '─'.repeat(BAR - full);
}

export function expertNode(row: ExpertRow, best: number): Node {
  const claims = plural(row.claim_count, 'claim');
  const citations = plural(row.citation_count, 'citation');
  const counts = [claims, citations];
  const score = Number(row.score.toFixed(2)).toString();
  return {
    id: `expert:${keyOf(row)}`,
    kind: 'expert',
    label: row.name,
    description: `${bar(best > 0 ? row.score / best : 0)}  ${joined(claims, row.collection, citations)}`,
    spoken: [row.name, row.type, `score ${score}`, ...counts].join(', '),
    tooltip: [
      row.name,
      joined(row.type, ...counts, row.collection),
      row.explain ? `Score ${score}: ${row.explain.formula}` : `Score ${score}`,
    ],
    icon: entityIcon(row.type),
    branch: true,
    subject: subjectOf(row),
  };
}

interface Row {
  readonly entity_id: string;
  readonly name: string;
  readonly collection?: string | null;
}

/** What tells an entity from all others; the same id in two collections is two entities. */
export const keyOf = (row: Row): string => JSON.stringify([row.collection ?? null, row.entity_id]);

const subjectOf = (row: Row): Subject => ({
  id: row.entity_id,
  name: row.name,
  collection: row.collection ?? null,
});
