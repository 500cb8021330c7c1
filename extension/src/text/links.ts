/** Keeps markdown from the server to text and to links into known folders. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneLine } from './words';

const LINK = /(!?)\[((?:\\.|[^[\]\\])*)\]\(\s*(<[^<>\n]*>|[^\s()<>]*)(?:\s+"[^"\n]*")?\s*\)/g;
const WORD_JOINER = '\u2060';

/** Whether `target` is a file inside one of `folders` (absolute paths). */
export function isInside(target: string, folders: readonly string[]): boolean {
  const file = fileOf(target);
  if (file === undefined) return false;
  return folders.some((folder) => {
    const relative = path.relative(folder, file);
    return relative === '' || !(relative.split(path.sep)[0] === '..' || path.isAbsolute(relative));
  });
}

function fileOf(target: string): string | undefined {
  try {
    const url = new URL(target);
    return url.protocol === 'file:' && url.host === '' ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing in `text` becomes a link, an image or a reference; invisible to the reader. */
export function defuse(text: string): string {
  return text
    .replaceAll(/\](?=[([:])/g, `]${WORD_JOINER}`)
    .replaceAll(/<(?=[a-z][a-z0-9+.-]*:|[^\s<>]+@)/gi, `<${WORD_JOINER}`)
    .replaceAll(/\b(https?|ftp)(?=:)/gi, `$1${WORD_JOINER}`)
    .replaceAll(/\bwww(?=\.)/gi, `www${WORD_JOINER}`)
    .replaceAll(/@(?=[\w-])/g, `@${WORD_JOINER}`);
}

/** `markdown` without images and with links only to what `allowed` accepts; of others the words stay. */
export function withLinksTo(markdown: string, allowed: (target: string) => boolean): string {
  let rest = 0;
  let out = '';
  for (const link of markdown.matchAll(LINK)) {
    const [whole, image, words = '', target = ''] = link;
    out += defuse(markdown.slice(rest, link.index));
    const url = target.replace(/^<(.*)>$/, '$1');
    const kept = !image && !escaped(markdown, link.index) && allowed(url);
    // The joiners keep what stands around a link that goes from closing up to another one.
    out += kept ? `[${defuse(words)}](<${url}>)` : WORD_JOINER + defuse(words) + WORD_JOINER;
    rest = link.index + whole.length;
  }
  return out + defuse(markdown.slice(rest));
}

function escaped(text: string, index: number): boolean {
  let slashes = 0;
  while (text[index - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** `text` as markdown that shows it letter by letter, on one line. */
export function literal(text: string): string {
  return defuse(oneLine(text).replaceAll(/[\\`*_{}[\]()#+\-.!~<>|&$]/g, '\\$&'));
}
