/** The page of the view "Claim": what it is told to show, as text nodes alone. */
import { type FromPage, isShow, type Piece, type Show } from './messages';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const host = acquireVsCodeApi();
const page = document.body;
let isInside = false;
let wasHeld = false;

addEventListener('message', ({ data }) => {
  if (isShow(data)) draw(data);
});
document.documentElement.addEventListener('mouseenter', () => hold(true));
document.documentElement.addEventListener('mouseleave', () => hold(false));
addEventListener('focus', () => hold(isInside));
addEventListener('blur', () => hold(isInside));
host.postMessage({ type: 'ready' });

function hold(inside: boolean): void {
  isInside = inside;
  const held = isInside || document.hasFocus();
  if (held !== wasHeld) host.postMessage({ type: 'held', held });
  wasHeld = held;
}

function draw({ serial, content }: Show): void {
  const shown = (pieces: readonly Piece[]) => pieces.map((piece) => pieceOf(serial, piece));
  if (!content) {
    const hint = 'Select a claim, or put the caret on a line that one is about.';
    page.replaceChildren(element('p', 'hint', hint));
    return;
  }
  const lines = element('dl', '');
  for (const { label, pieces, warns } of content.lines) {
    lines.append(element('dt', '', label), element('dd', warns ? 'warns' : '', ...shown(pieces)));
  }
  page.replaceChildren(element('p', 'claim', ...shown(content.text)), lines);
  scrollTo(0, 0);
}

function pieceOf(serial: number, { text, isCode, link }: Piece): Node {
  if (link === undefined) return element(isCode ? 'code' : 'span', '', text);
  const button = element('button', '', text);
  button.addEventListener('click', () => host.postMessage({ type: 'open', serial, link }));
  return button;
}

function element(tag: string, className: string, ...children: (string | Node)[]): HTMLElement {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}
