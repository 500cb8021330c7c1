/** What the view "In play" shows: what the server says is in play, of this window and of agents. */
import type { DidChangeSalience, PushedEntity } from '../protocol.gen';
import { joined, oneLine } from '../text/words';
import {
  type Ask,
  aboutClaim,
  askClaim,
  entityNode,
  inLines,
  isTopic,
  keyOf,
  listNode,
  type Node,
  otherClaims,
  type Ref,
} from '../tree/nodes';
import { Lingering, Rows } from '../tree/rows';

/** Rows of a session, at most: as many as a push has. */
const MOST = 10;

/** A session, the entities that its newest text brought in, which come first, and as of when. */
interface Session {
  readonly rows: Lingering<PushedEntity>;
  fresh: ReadonlySet<string>;
  generation: number;
}

export class InPlay extends Rows {
  private readonly sessions = new Map<string, Session>();

  constructor(
    private readonly ask: Ask,
    /** The session of this window. */
    private readonly own: string,
  ) {
    super();
  }

  /** Takes what is in play in a session now. What is no longer known goes at once. */
  push({ session_id, salience, fresh, generation }: DidChangeSalience): void {
    const session = this.sessions.get(session_id) ?? this.begin(session_id);
    if (fresh.length > 0) session.fresh = new Set(fresh.map(keyOf));
    const isFresh = (row: PushedEntity) => Number(session.fresh.has(keyOf(row)));
    const rows = salience.toSorted((a, b) => isFresh(b) - isFresh(a));
    session.rows.take(rows, generation !== session.generation);
    session.generation = generation;
  }

  /** Somebody types, or uses the rows: nothing goes. */
  touched(): void {
    for (const { rows } of this.sessions.values()) rows.touched();
  }

  /** Takes out an entity that somebody hid; the server leaves it out from now on. */
  drop({ id }: Ref): void {
    for (const { rows } of this.sessions.values()) {
      const left = rows.rows.filter(({ entity_id }) => entity_id !== id);
      rows.take(left, true);
    }
  }

  clear(): void {
    for (const { rows } of this.sessions.values()) rows.take([], true);
    this.sessions.clear();
  }

  private begin(id: string): Session {
    const rows = new Lingering<PushedEntity>(keyOf, MOST, () => this.draw());
    const session = { rows, fresh: new Set<string>(), generation: 0 };
    this.sessions.set(id, session);
    return session;
  }

  private draw(): void {
    const nodesOf = (id: string) =>
      this.sessions.get(id)?.rows.rows.map((row) => inPlayNode(this.ask, id, row)) ?? [];
    const agents = [...this.sessions.keys()].filter((id) => id !== this.own).reverse();
    const headings = agents.map((id) => {
      const more = { description: oneLine(id).slice(0, 8), tooltip: 'In play for an agent' };
      return listNode(`agent:${id}`, 'Agent', 'hubot', nodesOf(id), more);
    });
    this.show([...nodesOf(this.own), ...headings.filter(({ children }) => children?.length)]);
  }
}

/** An entity with what is claimed of it on the row below, beneath which the other claims are. */
function inPlayNode(ask: Ask, session: string, row: PushedEntity): Node {
  const id = `${session}/${keyOf(row)}`;
  const { subject, ...node } = entityNode(id, 'entity', row);
  const { claim, top_claim_id: top, claim_count, why } = row;
  const ref = { id: top ?? '', collection: subject.collection };
  const hasMore = claim_count > 1 || isTopic(subject);
  const below: Node = {
    id: `${id}/top:${top}`,
    label: claim?.replaceAll('`', '') ?? '',
    tooltip: async () => aboutClaim(await askClaim(ask, ref)),
    icon: 'quote',
    menu: 'claim',
    claim: ref,
    ...(top && hasMore && { children: () => otherClaims(ask, id, subject, top) }),
  };
  return {
    ...node,
    subject,
    description: joined(row.ambiguous && 'ambiguous', node.description),
    tooltip: inLines(row.name, node.description, ...why.split('; ')),
    children: claim === null || top === null ? [] : [below],
    open: true,
  };
}
