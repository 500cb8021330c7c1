/** What the view "Claim" and its page tell each other: a closed list, checked on both sides. */

/** A part of a text; `link` is the number of what a click on it opens. */
export interface Piece {
  readonly text: string;
  readonly isCode?: true;
  readonly link?: number;
}

/** A claim as the page shows it: its text, then lines about it. */
export interface Content {
  readonly text: readonly Piece[];
  readonly lines: readonly Line[];
}

export interface Line {
  readonly label: string;
  readonly pieces: readonly Piece[];
  readonly warns?: true;
}

/** To the page; `serial` comes back with what is clicked. Without content there is nothing to read. */
export interface Show {
  readonly type: 'show';
  readonly serial: number;
  readonly content: Content | null;
}

export type FromPage =
  | { readonly type: 'ready' }
  /** Whether pointer or focus is in it. */
  | { readonly type: 'held'; readonly held: boolean }
  | { readonly type: 'open'; readonly serial: number; readonly link: number };

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const all = (value: unknown, check: (part: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(check);

const isPiece = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.text === 'string' &&
  (value.link === undefined || isCount(value.link)) &&
  (value.isCode === undefined || value.isCode === true);

const isLine = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.label === 'string' &&
  all(value.pieces, isPiece) &&
  (value.warns === undefined || value.warns === true);

export const isShow = (value: unknown): value is Show =>
  isObject(value) &&
  value.type === 'show' &&
  isCount(value.serial) &&
  (value.content === null ||
    (isObject(value.content) &&
      all(value.content.text, isPiece) &&
      all(value.content.lines, isLine)));

export function isFromPage(value: unknown): value is FromPage {
  if (!isObject(value)) return false;
  if (value.type === 'held') return typeof value.held === 'boolean';
  if (value.type === 'open') return isCount(value.serial) && isCount(value.link);
  return value.type === 'ready';
}
