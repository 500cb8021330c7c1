/** Asking the server, typed by method; and what an open row of an entity shows. */
import type { EntityResult, Requests } from '../protocol.gen';
import type { Node, Subject, Target } from './nodes';

export type Ask = <M extends keyof Requests>(
  method: M,
  params: Requests[M]['params'],
) => Promise<Requests[M]['result']>;

/** The folder of a collection, for the `root` of a request; null where there is only one. */
export type RootOf = (collection: string | null) => string | null;

/** Rows that VS Code draws: the roots, or those whose look or branch changed. */
export type Redraw = (rows: 'all' | readonly string[]) => void;

/** What a tree view shows. */
export interface Model {
  readonly roots: readonly Node[];
  children(node: Node): readonly Node[] | Promise<readonly Node[]>;
  expanded(node: Node, open: boolean): void;
}

export function askEntity(ask: Ask, rootOf: RootOf, subject: Subject): Promise<EntityResult> {
  return ask('vouch/entity', { id: subject.id, root: rootOf(subject.collection) });
}

/** What a row opens: its own place, or the file of the entity that it is about. */
export async function targetOf(ask: Ask, rootOf: RootOf, node: Node): Promise<Target | undefined> {
  if ('target' in node) return node.target;
  if (!('subject' in node)) return undefined;
  const { entity } = await askEntity(ask, rootOf, node.subject);
  return entity.uri === null ? undefined : { uris: [entity.uri], passages: [] };
}
