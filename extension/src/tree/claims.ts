/** Rows for claims: what is claimed, how sure it is, and on what it stands. */
import type { Citation, ClaimView } from '../protocol.gen';
import {
  type ClaimNode,
  joined,
  moreNode,
  type Node,
  noteNode,
  plural,
  rowText,
  type Target,
} from './nodes';

const STATUS_ICONS: Readonly<Record<string, readonly [icon: string, color?: string]>> = {
  working: ['circle'],
  actionable: ['arrow-circle-right'],
  stable: ['pass'],
  contested: ['warning', 'list.warningForeground'],
};

export function claimNode(
  parent: string,
  claim: ClaimView,
  collection: string | null = null,
): ClaimNode {
  const [icon, color] = STATUS_ICONS[claim.status] ?? ['circle'];
  const facts = factsOf(claim);
  const id = `${parent}/claim:${claim.id}`;
  return {
    id,
    kind: 'claim',
    label: rowText(claim.said),
    spoken: [`${claim.said}. ${facts}`, plural(claim.citations.length, 'citation'), claim.stale]
      .filter(Boolean)
      .join(', '),
    tooltip: [
      claim.said,
      facts,
      ...(claim.stale ? [claim.stale] : []),
      ...claim.citations.map((citation) => `— ${titleOf(citation)}`),
    ],
    icon: claim.stale && !color ? 'history' : icon,
    ...(color || claim.stale ? { color: color ?? 'list.warningForeground' } : {}),
    claim: { id: claim.id, collection },
    target: quotedIn(claim) ?? fileOf(claim),
    file: fileOf(claim),
    children: [
      factsNode(id, claim),
      ...claim.citations.map((citation, at) => citationNode(`${id}/${at}`, citation)),
    ],
  };
}

/** The file of a claim, at its text. */
export const fileOf = ({ uri, text }: Pick<ClaimView, 'uri' | 'text'>): Target => ({
  uris: [uri],
  passages: [text, 'text:'],
});

/** The line that a claim quotes, else the document that it cites; none where neither is there. */
function quotedIn({ citations, uri }: ClaimView): Target | undefined {
  const cited = citations.filter(({ document }) => document !== null);
  const best = cited.find(({ quote }) => quote) ?? cited[0];
  return best && { ...citedAt(best), uris: [best.document as string, uri] };
}

export const citedAt = ({ document, uri, locator, quote }: Citation): Target => ({
  uris: [document, uri].filter((one) => one !== null),
  locator,
  passages: quote ? [quote] : [],
});

/** Status, confidence and date, below the text of the claim. */
function factsNode(parent: string, claim: ClaimView): Node {
  const label = factsOf(claim);
  const contradicted = claim.contradicts.length > 0 && 'contradicted by another claim';
  const description = joined(claim.stale, contradicted);
  return {
    id: `${parent}/facts`,
    kind: 'note',
    label,
    description,
    tooltip: [label, claim.stale, contradicted && `Contradicts ${claim.contradicts.join(', ')}`]
      .filter(Boolean)
      .map(String),
    icon: 'info',
  };
}

function factsOf(claim: ClaimView): string {
  return joined(
    claim.status,
    `confidence ${claim.confidence.toFixed(2)}`,
    claim.date?.slice(0, 10),
  );
}

/** What a source is called; where nothing names it, the beginning of its id, which is a digest. */
export const titleOf = ({ title, locator, source_id, id }: Citation): string =>
  title ?? locator ?? (source_id ?? id).replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1…');

function citationNode(id: string, citation: Citation): Node {
  const missing = citation.kind === 'missing';
  const title = titleOf(citation);
  const where = missing ? 'missing' : citation.locator === title ? '' : (citation.locator ?? '');
  const look = {
    id,
    label: title,
    description: where,
    spoken: ['Citation', title, where].filter(Boolean).join(', '),
    tooltip: [title, where, citation.quote ?? ''].filter(Boolean),
    icon: missing ? 'question' : citation.quote ? 'quote' : 'file',
    ...(missing ? { color: 'list.warningForeground' } : {}),
  };
  if (!citation.uri) return { ...look, kind: 'note' };
  return { ...look, kind: 'place', target: citedAt(citation) };
}

const SHOWN_CLAIMS = 5;

/** One row for each sentence: several claims may be parts of it. */
export function claimRows(
  parent: string,
  claims: readonly ClaimView[],
  collection: string | null,
): Node[] {
  const first = new Map(claims.toReversed().map((claim) => [sentenceOf(claim), claim]));
  return claims
    .filter((claim) => first.get(sentenceOf(claim)) === claim)
    .map((claim) => claimNode(parent, claim, collection));
}

const sentenceOf = (claim: ClaimView): string =>
  claim.said_with.length > 0 ? claim.said : `claim ${claim.id}`;

/** The first few claims, and a row that holds the others. */
export function claimNodes(
  parent: string,
  claims: readonly ClaimView[],
  total: number,
  collection: string | null,
): Node[] {
  const nodes = claimRows(parent, claims, collection);
  if (nodes.length === 0) return [noteNode(parent, 'No claims yet')];
  if (nodes.length <= SHOWN_CLAIMS + 1) return nodes;
  const rest = nodes.slice(SHOWN_CLAIMS);
  const unseen = total - nodes.length;
  const older = unseen > 0 ? [noteNode(`${parent}/older`, `${unseen} older`)] : [];
  const more = moreNode(parent, `${total - SHOWN_CLAIMS} more`, [...rest, ...older]);
  return [...nodes.slice(0, SHOWN_CLAIMS), more];
}
