/** Hovers and definitions from the server, for the documents that it knows; hovers are kept to text
 * and to links into known folders. */
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { isServed } from './inSight';
import { isInside, tame } from './text/links';

export function middleware(folders: () => readonly string[]): Middleware {
  return {
    provideDefinition(document, position, token, next) {
      return isServed(document) ? next(document, position, token) : undefined;
    },
    async provideHover(document, position, token, next) {
      if (!isServed(document)) return undefined;
      const hover = await next(document, position, token);
      if (!hover) return hover;
      const inside = (target: string) => isInside(target, folders());
      return new vscode.Hover(
        hover.contents.map((part) => tamed(part, inside)),
        hover.range,
      );
    },
  };
}

function tamed(
  part: vscode.MarkdownString | vscode.MarkedString,
  inside: (target: string) => boolean,
): vscode.MarkdownString {
  if (typeof part === 'object' && 'language' in part) {
    return new vscode.MarkdownString().appendCodeblock(part.value, part.language);
  }
  const source = typeof part === 'string' ? part : part.value;
  const markdown = new vscode.MarkdownString(tame(source, inside), false);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}
