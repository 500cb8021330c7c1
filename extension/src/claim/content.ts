/** A claim in full as HTML, of which every text is escaped, and what each of its links opens. */
import type { Citation, ClaimResult, PersonRow } from '../protocol.gen';
import { joined, plural } from '../text/words';
import { citedAt, fileOf, titleOf } from '../tree/claims';
import type { ClaimRef, Target } from '../tree/nodes';

export type Link =
  | { readonly kind: 'place'; readonly target: Target }
  | { readonly kind: 'web'; readonly address: string }
  | { readonly kind: 'claim'; readonly claim: ClaimRef };

/** `href` gives the address of the link with a number. */
export interface Content {
  html(href: (link: number) => string): string;
  readonly links: readonly Link[];
}

/** Most authors by commits, and most sources, that are named. */
const AUTHORS = 3;
const SOURCES = 7;

type Piece = { readonly text: string; readonly link?: number };
type Line = { readonly label: string; readonly pieces: readonly Piece[]; readonly warns?: boolean };

export function contentOf(result: ClaimResult): Content {
  const { claim, collection } = result;
  const links: Link[] = [];
  const linked = (text: string, link: Link): Piece => ({ text, link: links.push(link) - 1 });
  const file: Link = { kind: 'place', target: fileOf(claim) };
  const cited = sources(claim.citations);
  const more = cited.length - SOURCES;
  const authors = (result.by_commits ?? []).slice(0, AUTHORS);
  const asked = joined(
    ...result.people.map(person),
    ...authors.map(({ name, commits }) => `${name} (${plural(commits, 'commit')})`),
  );
  const lines: Line[] = [
    line('Context', claim.lacks_context && 'not shown; it may turn this round', true),
    line('Stale', claim.stale, true),
    ...result.contested_by.map(({ id, said }) => ({
      label: 'Contested by',
      pieces: [linked(said, { kind: 'claim', claim: { id, collection } })],
      warns: true,
    })),
    ...cited.slice(0, SOURCES).map((citation, at) => ({
      label: at === 0 ? 'Source' : '',
      pieces: source(citation, linked),
    })),
    ...(more > 0 ? [{ label: '', pieces: [linked(`${more} more`, file)] }] : []),
    line('Date', claim.date?.slice(0, 10)),
    line('Status', claim.status !== 'stable' && claim.status, claim.status === 'contested'),
    line('Confidence', claim.confidence.toFixed(2)),
    line('Approved by', result.auto_approved ? 'its receipt, no person' : result.approved_by),
    line('Ask', asked),
    { label: 'File', pieces: [linked(claim.id, file)] },
  ];
  const shown = lines.filter(({ pieces }) => pieces.some(({ text }) => text !== ''));
  const html = (href: (link: number) => string) => {
    const piece = ({ text, link }: Piece) =>
      link === undefined
        ? `<span>${escaped(text)}</span>`
        : `<a href="${escaped(href(link))}">${escaped(text)}</a>`;
    const row = ({ label, pieces, warns }: Line) =>
      `<dt>${label}</dt><dd${warns ? ' class="warns"' : ''}>${pieces.map(piece).join('')}</dd>`;
    return `<p>${withCode(claim.said)}</p><dl>${shown.map(row).join('')}</dl>`;
  };
  return { html, links };
}

const line = (label: string, text: string | null | undefined | false, warns = false): Line => ({
  label,
  pieces: [{ text: text || '' }],
  warns,
});

/** Those with a quote, then documents that none of these quotes. */
function sources(citations: readonly Citation[]): readonly Citation[] {
  const quoted = citations.filter(({ quote }) => quote);
  const ids = new Set(quoted.map(({ source_id }) => source_id));
  return [...quoted, ...citations.filter(({ quote, source_id }) => !quote && !ids.has(source_id))];
}

function source(citation: Citation, linked: (text: string, link: Link) => Piece): Piece[] {
  const { document, locator, quote, uri } = citation;
  const shown = joined(titleOf(citation), /#(L\d+)/.exec(document ?? '')?.[1]);
  const quotation = quote ? [{ text: ` “${quote}”` }] : [];
  if (!document && locator && isWeb(locator)) {
    return [linked(shown, { kind: 'web', address: locator }), ...quotation];
  }
  const isThere = document !== null || uri !== null;
  const place: Link = { kind: 'place', target: citedAt(citation) };
  return [isThere ? linked(shown, place) : { text: shown }, ...quotation];
}

export const isWeb = (address: string): boolean =>
  /^https:\/\/[^\s\\]+$/i.test(address) && URL.canParse(address);

const person = ({ name, said }: PersonRow): string => (said ? `${name} (${said})` : name);

/** Code between backticks stands by itself. */
const withCode = (text: string): string =>
  escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As text alone: white space as one blank, without what turns, hides or controls what is around. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '');
