/** Rows for claims: what is claimed, how sure it is, and on what it stands. */
import type { Citation, ClaimView } from '../protocol.gen';
import { joined, plural } from '../text/words';
import { type ClaimNode, moreNode, type Node, noteNode, rowText, type Target } from './nodes';

export const WARNS = 'list.warningForeground';
const STATUS_ICONS: Readonly<Record<string, string>> = {
  actionable: 'arrow-circle-right',
  stable: 'pass',
  contested: 'warning',
};

export function claimNode(
  parent: string,
  claim: ClaimView,
  collection: string | null = null,
): ClaimNode {
  const { status, stale, said } = claim;
  const confidence = `confidence ${claim.confidence.toFixed(2)}`;
  const facts = joined(status, confidence, claim.date?.slice(0, 10));
  const isContested = status === 'contested';
  return {
    id: `${parent}/claim:${claim.id}`,
    kind: 'claim',
    label: rowText(said),
    spoken: [said, facts, stale, plural(claim.citations.length, 'citation')]
      .filter(Boolean)
      .join(', '),
    tooltip: [said, facts, stale ?? '', ...claim.citations.map((cited) => `— ${titleOf(cited)}`)],
    icon: stale && !isContested ? 'history' : (STATUS_ICONS[status] ?? 'circle'),
    ...(isContested || stale ? { color: WARNS } : {}),
    claim: { id: claim.id, collection },
    target: quotedIn(claim) ?? fileOf(claim),
    file: fileOf(claim),
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
  uris: [document, uri].filter((file) => file !== null),
  locator,
  passages: quote ? [quote] : [],
});

/** What a source is called; where nothing names it, the beginning of its id, which is a digest. */
export function titleOf({ title, locator, source_id, id, kind }: Citation): string {
  const digest = (source_id ?? id).replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1…');
  return joined(title ?? locator ?? digest, kind === 'missing' && 'missing');
}

/** One row for each sentence: several claims may be parts of it. */
export function claimRows(
  parent: string,
  claims: readonly ClaimView[],
  collection: string | null,
): Node[] {
  return onePerSentence(claims).map((claim) => claimNode(parent, claim, collection));
}

/** How many claims these rows stand for. */
const claimsIn = (claims: readonly ClaimView[]): number =>
  onePerSentence(claims).reduce((sum, { said_with }) => sum + 1 + said_with.length, 0);

function onePerSentence(claims: readonly ClaimView[]): readonly ClaimView[] {
  const first = new Map(claims.toReversed().map((claim) => [sentenceOf(claim), claim]));
  return claims.filter((claim) => first.get(sentenceOf(claim)) === claim);
}

const sentenceOf = (claim: ClaimView): string =>
  claim.said_with.length > 0 ? claim.said : `claim ${claim.id}`;

const SHOWN_CLAIMS = 5;

/** The first few claims, and a row that holds the others. */
export function claimNodes(
  parent: string,
  claims: readonly ClaimView[],
  total: number,
  collection: string | null,
): Node[] {
  const nodes = claimRows(parent, claims, collection);
  if (nodes.length === 0) return [noteNode(parent, 'No claims yet')];
  const unlisted = total - claimsIn(claims);
  const others = unlisted > 0 ? [noteNode(`${parent}/unlisted`, `${unlisted} not listed`)] : [];
  if (nodes.length <= SHOWN_CLAIMS + 1) return [...nodes, ...others];
  const rest = nodes.slice(SHOWN_CLAIMS);
  const more = moreNode(parent, `${rest.length} more`, [...rest, ...others]);
  return [...nodes.slice(0, SHOWN_CLAIMS), more];
}
