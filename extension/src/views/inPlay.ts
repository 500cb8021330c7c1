/** What the view "In play" shows: what is in play in this window and for agents, the latest first. */
import type { DidChangeSalience, SalientEntity } from '../protocol.gen';
import { joined, oneLine, plural } from '../text/words';
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
  rowText,
} from '../tree/nodes';
import { Lingering, Rows } from '../tree/rows';

/** A session, and the entities that its newest text brought in, which come first. */
interface Session {
  readonly rows: Lingering<SalientEntity>;
  fresh: ReadonlySet<string>;
}

export class InPlay extends Rows {
  /** By id, the one that something came into last at the end. */
  private readonly sessions = new Map<string, Session>();
  private isHidden = false;

  constructor(
    private readonly ask: Ask,
    /** The session of this window. */
    private readonly own: string,
  ) {
    super();
  }

  /** Takes what is in play in a session now. What is no longer known goes at once. */
  push({ session_id, salience, fresh, of_text }: DidChangeSalience): void {
    const session = this.sessions.get(session_id) ?? this.begin();
    if (of_text) this.sessions.delete(session_id); // it goes last
    this.sessions.set(session_id, session);
    if (fresh.length > 0) session.fresh = new Set(fresh.map(keyOf));
    const isFresh = (row: SalientEntity) => Number(session.fresh.has(keyOf(row)));
    const rows = salience.toSorted((a, b) => isFresh(b) - isFresh(a));
    session.rows.take(rows, !of_text || this.isHidden);
  }

  /** Somebody types, or uses the rows: nothing goes. */
  touched(): void {
    for (const { rows } of this.sessions.values()) rows.touched();
  }

  /** Takes out an entity that somebody hid; the server leaves it out from now on. */
  drop({ id }: Ref): void {
    const stays = ({ entity_id }: SalientEntity) => entity_id !== id;
    for (const { rows } of this.sessions.values()) rows.take(rows.rows.filter(stays), true);
  }

  /** Hides all rows for a while, as in a pause. What the server said is still in play comes back. */
  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    for (const { rows } of this.sessions.values()) rows.take(rows.now, true);
  }

  clear(): void {
    for (const { rows } of this.sessions.values()) rows.take([], true);
  }

  private begin(): Session {
    const rows = new Lingering<SalientEntity>(keyOf, () => this.draw());
    return { rows, fresh: new Set<string>() };
  }

  private draw(): void {
    const latest = this.isHidden ? [] : [...this.sessions].reverse();
    this.show(latest.flatMap(([id, session]) => this.nodesOf(id, session.rows.rows)));
  }

  private nodesOf(session: string, rows: readonly SalientEntity[]): readonly Node[] {
    const nodes = rows.map((row) => inPlayNode(this.ask, session, row));
    if (session === this.own || rows.length === 0) return nodes;
    const more = { description: oneLine(session).slice(0, 8), tooltip: 'In play for an agent' };
    return [listNode(`agent:${session}`, 'Agent', 'hubot', nodes, more)];
  }
}

/** An entity with what is claimed of it on the row below; the other claims are in a list behind it. */
function inPlayNode(ask: Ask, session: string, row: SalientEntity): Node {
  const id = `${session}/${keyOf(row)}`;
  const { subject, ...node } = entityNode(id, 'entity', row);
  const { claim, top_claim_id: top, claim_count, why } = row;
  const ref = { id: top ?? '', collection: subject.collection };
  const below: Node = {
    id: `${id}/top:${top}`,
    label: rowText(claim ?? ''),
    tooltip: async () => aboutClaim(await askClaim(ask, ref)),
    icon: 'quote',
    menu: 'claim',
    claim: ref,
  };
  const more: Node = {
    id: `${id}/more`,
    label: claim_count > 1 ? plural(claim_count - 1, 'more claim') : 'Not declared',
    icon: 'ellipsis',
    children: () => otherClaims(ask, id, subject, ref),
  };
  return {
    ...node,
    subject,
    description: joined(row.ambiguous && 'ambiguous', node.description),
    tooltip: inLines(row.name, node.description, ...why.split('; ')),
    children: claim === null ? [] : claim_count > 1 || isTopic(subject) ? [below, more] : [below],
    open: true,
  };
}
