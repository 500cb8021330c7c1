/** A claim in full, as plain data for its page: texts in pieces, and what each link opens. */
import type { AuthorRow, Citation, ClaimResult, PersonRow } from '../protocol.gen';
import { joined, plural } from '../text/words';
import { citedAt, fileOf, titleOf } from '../tree/claims';
import type { ClaimRef, Target } from '../tree/nodes';
import type { Content, Line, Piece } from './messages';

export type Link =
  | { readonly kind: 'place'; readonly target: Target }
  | { readonly kind: 'web'; readonly address: string }
  | { readonly kind: 'claim'; readonly claim: ClaimRef };

export interface LinkedContent {
  readonly content: Content;
  readonly links: readonly Link[];
}

/** Most authors by commits, and most sources, that are named. */
const AUTHORS = 3;
const SOURCES = 7;

export function contentOf(result: ClaimResult): LinkedContent {
  const { claim, collection } = result;
  const links: Link[] = [];
  const linked = (text: string, link: Link): Piece => {
    links.push(link);
    return { text: plain(text), link: links.length - 1 };
  };
  const file: Link = { kind: 'place', target: fileOf(claim) };
  const cited = sources(claim.citations);
  const lines: Line[] = [
    ...(claim.lacks_context ? [line('Context', 'not shown; it may turn this round', true)] : []),
    ...(claim.stale ? [line('Stale', claim.stale, true)] : []),
    ...result.contested_by.map((other) => ({
      label: 'Contested by',
      pieces: [linked(other.said, { kind: 'claim', claim: { id: other.id, collection } })],
      warns: true as const,
    })),
    ...cited.slice(0, SOURCES).map((citation, at) => ({
      label: at === 0 ? 'Source' : '',
      pieces: source(citation, linked),
    })),
    ...(cited.length > SOURCES
      ? [{ label: '', pieces: [linked(`${cited.length - SOURCES} more`, file)] }]
      : []),
    line('Date', claim.date?.slice(0, 10)),
    line('Status', claim.status === 'stable' ? '' : claim.status, claim.status === 'contested'),
    line('Confidence', claim.confidence.toFixed(2)),
    line('Approved by', result.auto_approved ? 'its receipt, no person' : result.approved_by),
    line('Ask', joined(...result.people.map(person), ...authors(result.by_commits ?? []))),
    { label: 'File', pieces: [linked(claim.id, file)] },
  ];
  const content = {
    text: inPieces(claim.said),
    lines: lines.filter(({ pieces }) => pieces.some(({ text }) => text !== '')),
  };
  return { content, links };
}

function line(label: string, text: string | null | undefined, warns = false): Line {
  const pieces = [{ text: plain(text ?? '') }];
  return warns ? { label, pieces, warns } : { label, pieces };
}

/** Those with a quote, then documents that none of these quotes. */
function sources(citations: readonly Citation[]): readonly Citation[] {
  const quoted = citations.filter(({ quote }) => quote);
  const quotedSources = new Set(quoted.map(({ source_id }) => source_id));
  const others = citations.filter(
    ({ quote, source_id }) => !quote && !quotedSources.has(source_id),
  );
  return [...quoted, ...others];
}

function source(citation: Citation, linked: (text: string, link: Link) => Piece): Piece[] {
  const { document, locator, quote, uri } = citation;
  const quotation = quote ? [{ text: ` “${plain(quote)}”` }] : [];
  const at = /#(L\d+)/.exec(document ?? '')?.[1];
  const shown = joined(titleOf(citation), at);
  if (!document && locator && isWeb(locator)) {
    return [linked(shown, { kind: 'web', address: locator }), ...quotation];
  }
  const isThere = document !== null || uri !== null;
  const target = citedAt(citation);
  return [
    isThere ? linked(shown, { kind: 'place', target }) : { text: plain(shown) },
    ...quotation,
  ];
}

export const isWeb = (address: string): boolean =>
  /^https:\/\/[^\s\\]+$/i.test(address) && URL.canParse(address);

const person = ({ entity_id, name, via, relation, claim_count }: PersonRow): string =>
  entity_id === null
    ? `owned by ${name}`
    : relation
      ? `${relation.replaceAll('_', ' ')} ${name}`
      : `${name} (${via ?? plural(claim_count, 'claim')})`;

const authors = (rows: readonly AuthorRow[]): string[] =>
  rows.slice(0, AUTHORS).map(({ name, commits }) => `${name} (${plural(commits, 'commit')})`);

/** Code between backticks stands by itself. */
function inPieces(text: string): Piece[] {
  const parts = plain(text).split(/`([^`]+)`/);
  return parts
    .map((part, at): Piece => (at % 2 === 1 ? { text: part, isCode: true } : { text: part }))
    .filter((piece) => piece.text !== '');
}

/** On one line, without characters that turn, hide or control what stands around them. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
