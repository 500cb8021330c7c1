/** Keeps the side panel and the status in step with what the server says. */
import * as vscode from 'vscode';
import { ClaimView } from './claim/view';
import { Experts, headline } from './experts/experts';
import { workspaceFolders } from './folders';
import { InFile, type VisiblePart } from './inFile/inFile';
import { isServed, ReadingPosition } from './inFile/readingPosition';
import { StoredDismissals } from './inFile/tied';
import { InPlay, linesOf, newestFirst } from './inPlay/inPlay';
import { textAtHand } from './prompts/textAtHand';
import type { DidChangeSalience, DidChangeStatus, StatusResult } from './protocol.gen';
import { StatusItems } from './status/items';
import { holdsOf, isIdle, nothingInPlay, pausedUntil, type State, summarize } from './status/words';
import type { Ask, Redraw } from './tree/ask';
import { commandNode, type Node, nameOf, plural } from './tree/nodes';
import { GoneRows, NodeTree } from './tree/tree';

const SETTLE_MS = 250;
/** Rows that are in play, at most. */
const IN_PLAY = 10;

export class Panel implements vscode.Disposable {
  readonly experts: Experts;
  private readonly expertsTree: NodeTree;
  state: State = 'loading';
  private readonly changedState = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changedState.event;
  status: StatusResult | undefined;
  health: DidChangeStatus | undefined;
  private readonly inPlay: InPlay;
  private readonly inPlayTree: NodeTree;
  readonly inFile: InFile;
  private readonly inFileTree: NodeTree;
  private readonly claim: ClaimView;
  private readonly reading = new ReadingPosition(
    (part) => void this.lookAt(part),
    (caret) => this.inFile.follow(caret),
  );
  private readonly items = new StatusItems();
  private readonly gone = vscode.window.registerFileDecorationProvider(new GoneRows());
  private settling: NodeJS.Timeout | undefined;
  private typing: NodeJS.Timeout | undefined;
  /** The text that was edited last, as it stood when typing stopped. */
  private text = '';
  private consulted = 0;
  private readonly edits = vscode.workspace.onDidChangeTextDocument((event) => this.typed(event));
  private generation = 0;
  private instead = NO_ROWS;
  /** The server has been restarted and does not know yet what was in play. */
  private resuming = false;

  constructor(
    private readonly ask: Ask,
    private readonly submit: (text: string) => Promise<void>,
    private readonly log: vscode.LogOutputChannel,
    private readonly sessionId: string,
    state: vscode.Memento,
  ) {
    const redrawInPlay: Redraw = (rows) => {
      this.describeInPlay(); // first, as with the experts
      this.inPlayTree.redraw(rows);
    };
    this.inPlay = new InPlay(ask, redrawInPlay, sessionId, () => this.instead.rows);
    this.experts = new Experts(
      ask,
      (rows) => this.expertsTree.redraw(rows),
      () => this.describeExperts(),
      (file) =>
        this.knowledgeBases.map((root) =>
          vscode.Uri.joinPath(vscode.Uri.file(root), file).toString(),
        ),
      () => this.holds !== 'unreadable',
    );
    const redrawFile: Redraw = (rows) => {
      this.countTied();
      this.inFileTree.redraw(rows);
    };
    this.claim = new ClaimView(ask, () => [...workspaceFolders(), ...this.knowledgeBases]);
    this.inFile = new InFile(ask, redrawFile, new StoredDismissals(state), (claims) =>
      this.claim.meet(claims),
    );
    const chosen = (node: Node) => node.kind === 'claim' && this.claim.select(node.claim);
    this.inPlayTree = new NodeTree('vouchSidecar.inPlay', this.inPlay, chosen);
    this.inFileTree = new NodeTree('vouchSidecar.inFile', this.inFile, chosen);
    this.inFileTree.view.onDidChangeVisibility(() => this.reading.soon());
    this.expertsTree = new NodeTree('vouchSidecar.experts', this.experts, chosen);
    this.setState('loading');
  }

  get knowledgeBases(): readonly string[] {
    return (this.status?.roots ?? []).map(({ root }) => root);
  }

  setState(state: State): void {
    this.state = state;
    const path = vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', '').trim();
    const { holds } = this;
    void setContext('holds', holds);
    // Where a path was set in vain, rows offer what can be done about it.
    void setContext('state', state === 'noServer' && path ? 'wrongPath' : state);
    if (state === 'noServer' && path) this.instead = wrongPath(path);
    else if (state === 'ready' && this.status && pausedUntil(this.status)) {
      this.instead = paused(this.status);
    } else if (holds === 'something' && this.status) this.instead = nothing(this.status);
    else this.instead = NO_ROWS;
    if (isIdle(state)) this.inPlay.clear();
    else this.inPlay.update();
    if (isIdle(state) || holds === 'unreadable') {
      this.inFile.clear();
      this.claim.clear();
      this.experts.draw();
    }
    if (state === 'loading') this.reading.soon();
    this.describe();
    this.changedState.fire(state);
  }

  /** The server answers: what it serves, and what is in play by now. */
  async begin(again: boolean): Promise<void> {
    this.health = undefined;
    this.generation = 0;
    this.resuming = again;
    await this.refresh();
    if (!again) await this.consult();
  }

  /** Names of the entities that are shown as in play. */
  get names(): string[] {
    return this.inPlay.roots.filter((node) => node.kind === 'entity').map(nameOf);
  }

  /** Pauses what is said unasked for some seconds, until it is resumed where none are given; 0 resumes. */
  async pause(seconds: number | null): Promise<void> {
    await this.ask('vouch/pause', { seconds });
    this.settle();
  }

  onSalience({ session_id, salience, generation }: DidChangeSalience): void {
    if (session_id === this.sessionId) void this.consult();
    else this.takeSalience(session_id, salience);
    this.moveTo(generation);
  }

  onStatus(health: DidChangeStatus): void {
    this.health = health;
    this.moveTo(health.generation);
    this.describe();
    this.settle();
  }

  dispose(): void {
    clearTimeout(this.settling);
    clearTimeout(this.typing);
    const { inPlayTree, inFileTree, expertsTree } = this;
    const { claim, items, reading, gone, edits } = this;
    const trees = [inPlayTree, inFileTree, expertsTree];
    for (const part of [...trees, claim, items, reading, gone, edits]) part.dispose();
    this.changedState.dispose();
  }

  private takeSalience(session: string, salience: DidChangeSalience['salience']): void {
    if (!(this.resuming && session === this.sessionId)) this.inPlay.push(session, salience);
  }

  /** Tells a new server by which words the entities shown came into play, so that they still are. */
  private async resume(): Promise<void> {
    try {
      await this.inPlay.revalidate();
      const words = this.inPlay.words;
      if (words) await this.submit(words);
    } finally {
      this.resuming = false;
    }
    await this.consult();
  }

  /** Names are not asked for where the view is folded or hidden; claims are, for the badge. */
  private async lookAt(part: VisiblePart | undefined): Promise<void> {
    if (isIdle(this.state) || this.holds === 'unreadable') return;
    if (part) this.inFile.expect(part.uri);
    if (this.state === 'loading') return;
    await this.inFile.look(part, this.inFileTree.view.visible);
  }

  private countTied(): void {
    const value = this.inFile.count;
    const tooltip = `${plural(value, 'claim')} on the file that you are reading`;
    this.inFileTree.view.badge = value > 0 ? { value, tooltip } : undefined;
  }

  /** Asks what is in play, and what a block for the text that was edited last would hold. */
  private async consult(): Promise<void> {
    this.consulted += 1;
    const turn = this.consulted;
    try {
      const { salience, followed } = await this.ask('vouch/salience', { top_k: IN_PLAY });
      if (turn !== this.consulted) return;
      this.takeSalience(this.sessionId, newestFirst(salience));
      const task = followed && this.inPlayTree.view.visible ? this.text.trim() : '';
      const items = task ? (await this.ask('vouch/context', { task })).items : [];
      const lines = await linesOf(this.ask, items);
      if (turn === this.consulted) this.inPlay.hold(lines);
    } catch (error) {
      this.log.debug(`What is in play could not be asked: ${String(error)}`);
    }
  }

  /** Takes in what was typed, once that stops. */
  private typed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const isActive = document === vscode.window.activeTextEditor?.document;
    if (!isActive || contentChanges.length === 0 || !isServed(document)) return;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => {
      this.text = textAtHand();
      if (this.state === 'ready' && !this.resuming) void this.consult();
    }, SETTLE_MS);
  }

  private moveTo(generation: number): void {
    if (generation === this.generation) return;
    this.generation = generation;
    this.settle();
  }

  /** Takes in what changed; several changes in a row at once. */
  settle(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => void this.refresh(), SETTLE_MS);
  }

  private async refresh(): Promise<void> {
    try {
      this.status = await this.ask('vouch/status', {});
      this.generation = Math.max(this.generation, this.status.generation);
      this.setState(stateOf(this.status));
      if (!this.status.complete) return;
      if (this.resuming) await this.resume();
      this.reading.soon();
      this.claim.again();
      const trees = [this.inPlay, this.inFile].map((tree) => tree.moveTo(this.generation));
      await Promise.all([...trees, this.experts.again()]);
    } catch (error) {
      this.log.debug(`What the server has could not be asked: ${String(error)}`);
    }
  }

  private get holds() {
    return this.state === 'ready' && this.status ? holdsOf(this.status) : '';
  }

  /** The line above the experts. */
  private describeExperts(): void {
    const { question, count, own, notes } = this.experts;
    const line = question ? headline(question, count, own, notes) : '';
    this.expertsTree.view.message = this.holds === 'unreadable' ? '' : line;
    const types = question?.types ?? [];
    this.expertsTree.view.description = types.length > 0 ? `only ${types.join(', ')}` : '';
    void setContext('asked', Boolean(question));
  }

  /** The line above what is offered where nothing is in play. */
  private describeInPlay(): void {
    this.inPlayTree.view.message = this.inPlay.isEmpty ? this.instead.words : '';
  }

  private describe(): void {
    const summary = summarize(this.state, this.status, this.health);
    this.items.show(summary);
    this.inPlayTree.view.description = vscode.workspace.isTrusted ? '' : 'Restricted Mode';
    this.describeInPlay();
    this.describeExperts();
  }

  /** The folder of a collection; null where there is only one. */
  rootOf(collection: string | null): string | null {
    const roots = this.status?.roots ?? [];
    return roots.find((root) => root.collection === collection)?.root ?? null;
  }
}

const setContext = (key: string, value: unknown) =>
  vscode.commands.executeCommand('setContext', `vouchSidecar.${key}`, value);

function stateOf(status: StatusResult): State {
  if (!status.complete) return 'loading';
  return status.roots.length === 0 ? 'none' : 'ready';
}

/** What stands where nothing is in play: a line, and rows that offer something. */
interface Instead {
  readonly words: string;
  readonly rows: readonly Node[];
}

const NO_ROWS: Instead = { words: '', rows: [] };

const nothing = (status: StatusResult): Instead => ({
  words: nothingInPlay(status),
  rows: [
    commandNode('Find Experts', 'vouchSidecar.findExperts', 'search'),
    commandNode('New Prompt', 'vouchSidecar.newPrompt', 'comment'),
    commandNode('Show What Changed This Week', 'vouchSidecar.changedThisWeek', 'history'),
  ],
});

const paused = (status: StatusResult): Instead => ({
  words: `Paused ${pausedUntil(status)}: hooks, hover and this view say nothing.`,
  rows: [commandNode('Resume', 'vouchSidecar.resume', 'debug-continue')],
});

const wrongPath = (path: string): Instead => ({
  words: `The setting vouchSidecar.path names no server that runs: ${path}`,
  rows: [
    commandNode('Clear Setting', 'vouchSidecar.clearPath', 'clear-all'),
    commandNode('Change Setting', 'vouchSidecar.changePath', 'gear'),
    commandNode('Show Logs', 'vouchSidecar.showLogs', 'output'),
  ],
});
