/** Rows of the side panel as plain data, those of entities and of claims; `tree.ts` draws them. */
import type { Citation, ClaimView, EntityResult, ExpertRow, Requests } from '../protocol.gen';
import { TOPIC_ID } from '../protocol.gen';
import { joined, oneLine, plural } from '../text/words';

/** URIs of files, the first that is there is opened, with a line as in `#L12` where that is known. */
export type Target = readonly string[];

/** A claim or an entity, as it is asked for. */
export interface Ref {
  readonly id: string;
  readonly collection: string | null;
}

/** An entity; a topic, which nobody declared, has no file. */
export interface Subject extends Ref {
  readonly name: string;
}

/** A row; `id` is stable for as long as the row means the same thing. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** Or how to ask for it; the label where there is nothing else to say. */
  readonly tooltip?: string | (() => Promise<string>);
  readonly icon: string;
  readonly warns?: boolean;
  /** What menus go by. */
  readonly menu?: string;
  /** What a click opens: a place or a claim. */
  readonly target?: Target;
  readonly claim?: Ref;
  readonly subject?: Subject;
  /** What is beneath it, or how to ask for that; shown unfolded at first where it is `open`. */
  readonly children?: readonly Node[] | (() => Promise<Node[]>);
  readonly open?: boolean;
}

const ENTITY_ICONS: Readonly<Record<string, string>> = {
  person: 'person',
  team: 'organization',
  organization: 'organization',
  system: 'server',
  service: 'server',
  incident: 'flame',
  concept: 'lightbulb',
  topic: 'tag',
};

export const entityIcon = (type: string): string =>
  ENTITY_ICONS[type.toLowerCase()] ?? 'symbol-misc';

/** A text as a row has it: on one line, code without its marks. */
export const rowText = (text: string): string => oneLine(text.replaceAll('`', ''));

export const inLines = (...lines: (string | null | undefined | false)[]): string =>
  lines.filter(Boolean).join('\n');

export const noteNode = (parent: string, label: string, icon = 'info'): Node => ({
  id: `${parent}/note:${label}`,
  label,
  icon,
});

/** A row that holds others. */
export const listNode = (
  id: string,
  label: string,
  icon: string,
  children: readonly Node[],
  more: Partial<Node> = {},
): Node => ({ id, label, icon, children, open: true, ...more });

type EntityRow = Pick<ExpertRow, 'entity_id' | 'name' | 'type' | 'claim_count' | 'collection'>;

/** What tells an entity from all others; the same id in two collections is two entities. */
export const keyOf = ({ entity_id, collection = null }: EntityRow): string =>
  JSON.stringify([collection, entity_id]);

export const isTopic = ({ id }: Ref): boolean => id.startsWith(TOPIC_ID);

/** The row of an entity with its number of claims. */
export function entityNode(
  id: string,
  menu: string,
  row: EntityRow,
): Node & { readonly subject: Subject; readonly description: string } {
  const { entity_id, name, type, claim_count, collection = null } = row;
  const subject = { id: entity_id, name, collection };
  return {
    id,
    label: name,
    description: joined(plural(claim_count, 'claim'), collection, type),
    icon: entityIcon(type),
    menu: isTopic(subject) ? `${menu} topic` : menu,
    subject,
  };
}

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

/** How a claim looks that somebody contests, or that may hold no more. */
export function lookOf({ status, stale }: Pick<ClaimView, 'status' | 'stale'>) {
  const isContested = status === 'contested';
  const icon = isContested ? 'warning' : stale ? 'history' : 'pass';
  return { icon, warns: icon !== 'pass' };
}

export const claimNode = (parent: string, claim: ClaimView, collection: string | null): Node => ({
  id: `${parent}/claim:${claim.id}`,
  label: rowText(claim.said.slice(claim.heading.length)),
  description: rowText(claim.heading),
  tooltip: aboutClaim(claim),
  ...lookOf(claim),
  menu: 'claim',
  claim: { id: claim.id, collection },
  target: placeOf(claim),
});

/** What a claim says, how sure it is, and on what it stands, each once. */
export const aboutClaim = ({ said, facts, citations }: ClaimView): string =>
  inLines(said, facts, ...new Set(citations.map((cited) => `— ${titleOf(cited)}`)));

/** The line that a claim quotes, else the document that it cites, else its own file. */
export function placeOf({ citations, uri }: ClaimView): Target {
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
  shown: Ref,
): Promise<Node[]> {
  const { claims, claim_count, why } = await askEntity(ask, subject);
  const listed = claims.find(({ id }) => id === shown.id); // or another for the same sentence
  const now = listed ?? (await askClaim(ask, shown).catch(() => null));
  const others = claims.filter(({ said }) => said !== now?.said);
  const nodes = claimNodes(parent, others, subject.collection, claim_count - claims.length);
  return isTopic(subject) ? [noteNode(parent, `Not declared: ${why}`, 'tag'), ...nodes] : nodes;
}
