/** A claim in full as HTML, of which every text is escaped, and what each of its links opens. */
import type { Citation, ClaimResult } from '../protocol.gen';
import { joined, plural } from '../text/words';
import { lookOf, type Ref, type Target, titleOf } from '../tree/nodes';

export type Link =
  | { readonly kind: 'place'; readonly target: Target }
  | { readonly kind: 'web'; readonly address: string }
  | { readonly kind: 'claim'; readonly claim: Ref };

/** The links by the numbers that the page hands to the command `OPEN`. */
export interface Content {
  readonly html: string;
  readonly links: readonly Link[];
}

export const OPEN = 'vouchSidecar.openClaimLink';

/** Most sources, those with a quote first; its file has them all. */
const SOURCES = 7;

type Linked = (text: string, link: Link) => string;

export function contentOf(result: ClaimResult): Content {
  const { claim, collection, people, by_commits, auto_approved, approved_by } = result;
  const links: Link[] = [];
  const linked: Linked = (text, link) =>
    `<a href="command:${OPEN}?${links.push(link) - 1}">${escaped(text)}</a>`;
  const { citations } = claim;
  const quoted = citations.filter(({ quote }) => quote);
  const ids = quoted.map(({ source_id }) => source_id);
  const others = citations.filter(({ quote, source_id }) => !quote && !ids.includes(source_id));
  const asked = joined(
    ...people.map(({ name, said }) => (said ? `${name} (${said})` : name)),
    ...(by_commits ?? [])
      .filter((author) => !people.some(({ name }) => name === author.name))
      .map(({ name, commits }) => `${name} (${plural(commits, 'commit')})`),
  );
  const lines = [
    line('Context', claim.lacks_context && span('not shown; it may turn this round'), true),
    ...result.contested_by.map(({ id, said }) =>
      line('Contested by', linked(said, { kind: 'claim', claim: { id, collection } }), true),
    ),
    ...[...quoted, ...others]
      .slice(0, SOURCES)
      .map((citation, at) => line(at === 0 ? 'Source' : '', source(citation, linked))),
    line('Status', span(claim.facts), lookOf(claim).warns),
    line('Approved by', span(auto_approved ? 'its receipt, no person' : approved_by)),
    line('Ask', span(asked)),
    line('File', linked(claim.id, { kind: 'place', target: [claim.uri] })),
  ];
  return { html: `<p>${withCode(claim.said)}</p><dl>${lines.join('')}</dl>`, links };
}

/** Why a claim is not shown: what the server says of its id. */
export const notShown = (message: string): string =>
  message
    .replace(/^id names no claim that may be shown.*/s, 'This claim is not shown any more.')
    .replace(/^id names a claim that/, 'This claim');

const span = (text: string | null): string => (text ? `<span>${escaped(text)}</span>` : '');

const line = (label: string, html: string | false, warns = false): string =>
  html ? `<dt>${label}</dt><dd${warns ? ' class="warns"' : ''}>${html}</dd>` : '';

function source(citation: Citation, linked: Linked): string {
  const { document, locator, quote, uri } = citation;
  const title = joined(titleOf(citation), /#(L\d+)/.exec(document ?? '')?.[1]);
  const target = [document, uri].filter((file) => file !== null);
  const place: Link =
    !document && locator && isWeb(locator)
      ? { kind: 'web', address: locator }
      : { kind: 'place', target };
  const isThere = place.kind === 'web' || target.length > 0;
  return (isThere ? linked(title, place) : span(title)) + span(quote && ` “${quote}”`);
}

export const isWeb = (address: string): boolean =>
  /^https:\/\/[^\s\\]+$/i.test(address) && URL.canParse(address);

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
