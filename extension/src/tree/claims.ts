/** Rows for claims: what is claimed, how sure it is, and on what it stands. */
import type { Citation, ClaimView, EntityResult, Requests } from '../protocol.gen';
import { joined } from '../text/words';
import {
  type ClaimRef,
  moreNode,
  type Node,
  noteNode,
  rowText,
  type Subject,
  type Target,
  WARNS,
} from './nodes';

/** Asks the server. With a `collection` only that knowledge base; null where there is only one. */
export type Ask = <M extends keyof Requests>(
  method: M,
  params: Requests[M]['params'],
  collection?: string | null,
) => Promise<Requests[M]['result']>;

export const askEntity = (ask: Ask, { id, collection }: Subject): Promise<EntityResult> =>
  ask('vouch/entity', { id }, collection);

export const askClaim = async (ask: Ask, { id, collection }: ClaimRef): Promise<ClaimView> =>
  (await ask('vouch/claim', { id }, collection)).claim;

/** What a row opens: its own place, what its claim quotes, or the file of its entity. */
export async function targetOf(ask: Ask, node: Node): Promise<Target | undefined> {
  if (node.target) return node.target;
  if (node.claim) return placeOf(await askClaim(ask, node.claim));
  if (!node.subject) return undefined;
  const { entity } = await askEntity(ask, node.subject);
  return entity.uri === null ? undefined : { uris: [entity.uri], passages: [] };
}

const STATUS_ICONS: Readonly<Record<string, string>> = {
  actionable: 'arrow-circle-right',
  stable: 'pass',
  contested: 'warning',
};

/** What is claimed, without the heading above. */
export const factOf = (text: string, heading: string): string =>
  rowText(text.slice(heading.length));

export function claimNode(parent: string, claim: ClaimView, collection: string | null): Node {
  const { id, status, stale } = claim;
  const isContested = status === 'contested';
  const tooltip = aboutClaim(claim);
  return {
    id: `${parent}/claim:${id}`,
    label: factOf(claim.said, claim.heading),
    description: rowText(claim.heading),
    spoken: tooltip.join(', '),
    tooltip,
    icon: stale && !isContested ? 'history' : (STATUS_ICONS[status] ?? 'circle'),
    ...((isContested || stale) && { color: WARNS }),
    menu: 'claim',
    claim: { id, collection },
    target: placeOf(claim),
  };
}

/** What a claim says, how sure it is, and on what it stands. */
export const aboutClaim = ({ said, facts, citations }: ClaimView): readonly string[] => [
  said,
  facts,
  ...citations.map((cited) => `— ${titleOf(cited)}`),
];

/** The file of a claim, at its text. */
export const fileOf = ({ uri, text }: Pick<ClaimView, 'uri' | 'text'>): Target => ({
  uris: [uri],
  passages: [text, 'text:'],
});

/** The line that a claim quotes, else the document that it cites, else its own file. */
function placeOf(claim: ClaimView): Target {
  const cited = claim.citations.filter(({ document }) => document !== null);
  const best = cited.find(({ quote }) => quote) ?? cited[0];
  if (!best) return fileOf(claim);
  return { ...citedAt(best), uris: [best.document as string, claim.uri] };
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

const SHOWN_CLAIMS = 5;

/**
 * One row for each sentence, of which several claims may be parts: the first few, and a row that
 * holds the others. `total` is the number of claims there are.
 */
export function claimNodes(
  parent: string,
  claims: readonly ClaimView[],
  total: number,
  collection: string | null,
): Node[] {
  const once = [...new Map(claims.toReversed().map((claim) => [sentenceOf(claim), claim])).values()]
    .toReversed()
    .map((claim) => ({ claim, node: claimNode(parent, claim, collection) }));
  if (once.length === 0) return [noteNode(parent, 'No claims yet')];
  const unlisted = total - once.reduce((sum, { claim }) => sum + 1 + claim.said_with.length, 0);
  const others = unlisted > 0 ? [noteNode(parent, `${unlisted} not listed`)] : [];
  const nodes = once.map(({ node }) => node);
  if (nodes.length <= SHOWN_CLAIMS + 1) return [...nodes, ...others];
  const rest = nodes.slice(SHOWN_CLAIMS);
  const more = moreNode(parent, `${rest.length} more`, [...rest, ...others]);
  return [...nodes.slice(0, SHOWN_CLAIMS), more];
}

const sentenceOf = ({ id, said, said_with }: ClaimView): string =>
  said_with.length > 0 ? said : `claim ${id}`;

/** The claims of an entity but the one that is shown already; of a topic also where it was found. */
export async function otherClaims(
  ask: Ask,
  parent: string,
  subject: Subject,
  shown: string | null,
): Promise<readonly Node[]> {
  const { claims, claim_count, why } = await askEntity(ask, subject);
  const isShown = ({ id, said_with }: ClaimView) => id === shown || said_with.includes(shown ?? '');
  const known = claims
    .filter(isShown)
    .reduce((sum, { said_with }) => sum + 1 + said_with.length, 0);
  const others = claims.filter((claim) => !isShown(claim));
  const nodes = claimNodes(parent, others, claim_count - known, subject.collection);
  return [
    ...(why ? [noteNode(parent, `Not declared: ${why}`, 'tag')] : []),
    ...(others.length > 0 ? nodes : []),
  ];
}
