/** Rows for claims: what is claimed, how sure it is, and on what it stands. */
import type { Citation, ClaimView, EntityResult, Requests } from '../protocol.gen';
import { joined } from '../text/words';
import {
  inLines,
  isTopic,
  type Node,
  noteNode,
  type Ref,
  rowText,
  type Subject,
  type Target,
} from './nodes';

/** Asks the server. With a `collection` only that knowledge base; null where there is only one. */
export type Ask = <M extends keyof Requests>(
  method: M,
  params: Requests[M]['params'],
  collection?: string | null,
) => Promise<Requests[M]['result']>;

export const askEntity = (ask: Ask, { id, collection }: Ref): Promise<EntityResult> =>
  ask('vouch/entity', { id }, collection);

export const askClaim = async (ask: Ask, { id, collection }: Ref): Promise<ClaimView> =>
  (await ask('vouch/claim', { id }, collection)).claim;

/** What a row opens: its own place, what its claim quotes, or the file of its entity. */
export async function targetOf(ask: Ask, node: Node): Promise<Target | undefined> {
  if (node.target) return node.target;
  if (node.claim) return placeOf(await askClaim(ask, node.claim));
  if (!node.subject) return undefined;
  const { entity } = await askEntity(ask, node.subject);
  return entity.uri === null ? undefined : [entity.uri];
}

/** What is claimed, without the heading above. */
export const factOf = (text: string, heading: string): string =>
  rowText(text.slice(heading.length));

/** How a claim looks that somebody contests, or that may hold no more. */
export function lookOf({ status, stale }: Pick<ClaimView, 'status' | 'stale'>) {
  const isContested = status === 'contested';
  const icon = isContested ? 'warning' : stale ? 'history' : 'pass';
  return { icon, warns: icon !== 'pass' };
}

export const claimNode = (parent: string, claim: ClaimView, collection: string | null): Node => ({
  id: `${parent}/claim:${claim.id}`,
  label: factOf(claim.said, claim.heading),
  description: rowText(claim.heading),
  tooltip: aboutClaim(claim),
  ...lookOf(claim),
  menu: 'claim',
  claim: { id: claim.id, collection },
  target: placeOf(claim),
});

/** What a claim says, how sure it is, and on what it stands. */
export const aboutClaim = ({ said, facts, citations }: ClaimView): string =>
  inLines(said, facts, ...citations.map((cited) => `— ${titleOf(cited)}`));

/** The line that a claim quotes, else the document that it cites, else its own file. */
function placeOf({ citations, uri }: ClaimView): Target {
  const cited = citations.filter(({ document }) => document !== null);
  const best = cited.find(({ quote }) => quote) ?? cited[0];
  return best?.document ? [best.document, uri] : [uri];
}

/** What a source is called; where nothing names it, the beginning of its id, which is a digest. */
export function titleOf({ title, locator, source_id, id, kind }: Citation): string {
  const digest = (source_id ?? id).replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1…');
  return joined(title ?? locator ?? digest, kind === 'missing' && 'missing');
}

/** One row for each sentence, of which several claims may be parts; `unlisted` says how many lack. */
export function claimNodes(
  parent: string,
  claims: readonly ClaimView[],
  collection: string | null,
  unlisted: number,
): Node[] {
  const said = claims.map((claim) => claim.said);
  const once = claims.filter((claim, at) => said.indexOf(claim.said) === at);
  const nodes = once.map((claim) => claimNode(parent, claim, collection));
  return unlisted > 0 ? [...nodes, noteNode(parent, `${unlisted} not listed`)] : nodes;
}

/** The claims of an entity but the one that is shown already; of a topic also where it was found. */
export async function otherClaims(
  ask: Ask,
  parent: string,
  subject: Subject,
  shown: string,
): Promise<Node[]> {
  const { claims, claim_count, why } = await askEntity(ask, subject);
  const others = claims.filter(({ id, said_with }) => id !== shown && !said_with.includes(shown));
  const nodes = claimNodes(parent, others, subject.collection, claim_count - claims.length);
  return isTopic(subject) ? [noteNode(parent, `Not declared: ${why}`, 'tag'), ...nodes] : nodes;
}
