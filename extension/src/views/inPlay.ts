/** What the view "In play" shows: what the server says is in play, of this window and of agents. */
import type { DidChangeSalience, PushedEntity } from '../protocol.gen';
import { oneLine, plural, quoted } from '../text/words';
import { type Ask, aboutClaim, askClaim, otherClaims } from '../tree/claims';
import { entityNode, keyOf, listNode, type Node, subjectOf } from '../tree/nodes';
import { Lingering, type Redraw, Rows } from '../tree/rows';

/** Rows of a session, at most: as many as a push has. */
const MOST = 10;

/** A session, and the entities that its newest text brought in, which come first. */
interface Session {
  readonly rows: Lingering<PushedEntity>;
  fresh: ReadonlySet<string>;
}

export class InPlay extends Rows {
  private readonly sessions = new Map<string, Session>();
  private readonly hidden = new Set<string>();
  private generation = 0;

  constructor(
    private readonly ask: Ask,
    redraw: Redraw,
    /** The session of this window. */
    private readonly own: string,
    /** Rows that stand where nothing is in play. */
    private readonly placeholder: () => readonly Node[] = () => [],
  ) {
    super(redraw);
  }

  get isEmpty(): boolean {
    return [...this.sessions.keys()].every((id) => this.rowsOf(id).length === 0);
  }

  /** Names of the entities of this window. */
  get names(): string[] {
    return this.rowsOf(this.own).map(({ name }) => name);
  }

  /** Takes what is in play in a session now. What is no longer known goes at once. */
  push({ session_id, salience, fresh, generation }: DidChangeSalience): void {
    const session = this.sessions.get(session_id) ?? this.begin(session_id);
    if (fresh.length > 0) session.fresh = new Set(fresh.map(keyOf));
    const isFresh = (row: PushedEntity) => Number(session.fresh.has(keyOf(row)));
    const rows = salience.toSorted((a, b) => isFresh(b) - isFresh(a));
    session.rows.take(rows, generation !== this.generation);
    this.generation = generation;
  }

  /** Somebody types, or uses the rows: nothing goes. */
  touched(): void {
    for (const { rows } of this.sessions.values()) rows.touched();
  }

  /** Takes out a topic that somebody hid, until the server knows. */
  hide(name: string): void {
    this.hidden.add(name);
    this.update();
  }

  unhide(name: string): void {
    this.hidden.delete(name);
    this.update();
  }

  clear(): void {
    for (const { rows } of this.sessions.values()) rows.take([], true);
    this.sessions.clear();
    this.update();
  }

  update(): void {
    const agents = [...this.sessions.keys()].filter((id) => id !== this.own).reverse();
    const rows = [
      ...this.nodesOf(this.own),
      ...agents.flatMap((id) => {
        const nodes = this.nodesOf(id);
        const tooltip = ['What is in play for an agent, by its prompts', oneLine(id)];
        const more = { description: oneLine(id).slice(0, 8), tooltip };
        return nodes.length > 0 ? [listNode(`agent:${id}`, 'Agent', 'hubot', nodes, more)] : [];
      }),
    ];
    this.show(rows.length > 0 ? rows : this.placeholder());
  }

  private begin(id: string): Session {
    const rows = new Lingering<PushedEntity>(keyOf, MOST, () => this.update());
    const session = { rows, fresh: new Set<string>() };
    this.sessions.set(id, session);
    return session;
  }

  private rowsOf(id: string): readonly PushedEntity[] {
    const rows = this.sessions.get(id)?.rows.rows ?? [];
    return rows.filter(({ name }) => !this.hidden.has(name));
  }

  private nodesOf(session: string): readonly Node[] {
    return this.rowsOf(session).map((row) => inPlayNode(this.ask, session, row));
  }
}

/** An entity with what is claimed of it on the row below, beneath which the other claims are. */
function inPlayNode(ask: Ask, session: string, row: PushedEntity): Node {
  const id = `${session}/${keyOf(row)}`;
  const node = entityNode(id, 'entity', row);
  const named = row.matched.length > 0 ? `Named by ${quoted(row.matched)}` : 'In play';
  return {
    ...node,
    description: [row.ambiguous && 'ambiguous', node.description].filter(Boolean).join(' · '),
    tooltip: [row.name, node.description ?? '', named, ...row.why.split('; ')],
    children: claimBelow(ask, id, row),
    open: true,
  };
}

function claimBelow(ask: Ask, parent: string, row: PushedEntity): readonly Node[] {
  const { claim, top_claim_id, claim_count } = row;
  const subject = subjectOf(row);
  if (claim === null || top_claim_id === null) return [];
  const ref = { id: top_claim_id, collection: subject.collection };
  const others = claim_count - 1;
  const more = () => otherClaims(ask, parent, subject, top_claim_id);
  return [
    {
      id: `${parent}/top:${top_claim_id}`,
      label: claim.replaceAll('`', ''),
      ...(others > 0 && { spoken: `${claim}, ${plural(others, 'more claim')} beneath` }),
      tooltip: async () => aboutClaim(await askClaim(ask, ref)),
      icon: 'quote',
      menu: 'claim',
      claim: ref,
      ...((others > 0 || subject.isTopic) && { children: more }),
    },
  ];
}
