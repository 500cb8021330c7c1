/** Asking the server, typed by method; and what the row of an entity opens. */
import type { EntityResult, Requests } from '../protocol.gen';
import type { Node, Subject, Target } from './nodes';

/** With a `collection` only that knowledge base is asked; null where there is only one. */
export type Ask = <M extends keyof Requests>(
  method: M,
  params: Requests[M]['params'],
  collection?: string | null,
) => Promise<Requests[M]['result']>;

export const askEntity = (ask: Ask, { id, collection }: Subject): Promise<EntityResult> =>
  ask('vouch/entity', { id }, collection);

/** What a row opens: its own place, or the file of the entity that it is about. */
export async function targetOf(ask: Ask, node: Node): Promise<Target | undefined> {
  if ('target' in node) return node.target;
  if (!('subject' in node)) return undefined;
  const { entity } = await askEntity(ask, node.subject);
  return entity.uri === null ? undefined : { uris: [entity.uri], passages: [] };
}
