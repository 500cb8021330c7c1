/** Keeps the side panel and the status in step with what the server says. */
import * as vscode from 'vscode';
import { ClaimPage } from './claim/claimView';
import { Experts } from './experts/expertsView';
import { workspaceFolders } from './folders';
import { InFile, type VisiblePart } from './inFile/inFileView';
import { ReadingPosition, STILL_MS } from './inFile/readingPosition';
import { Dismissals } from './inFile/tiedRows';
import { blockRows, InPlay, newestFirst } from './inPlay/inPlayView';
import { NO_PLACEHOLDER, placeholderOf } from './inPlay/placeholder';
import type { DidChangeStatus, StatusResult } from './protocol.gen';
import { coalesce } from './server/coalesce';
import { drawStatus, statusItem } from './status/statusItem';
import { holdsOf, isIdle, pausedUntil, type State, summarize } from './status/summary';
import { plural } from './text/words';
import type { Ask } from './tree/ask';
import type { Node } from './tree/nodes';
import { NodeTree } from './tree/tree';

/** Rows that are in play, at most. */
const IN_PLAY = 10;

export class Panel implements vscode.Disposable {
  state: State = 'loading';
  /** Whether there is a knowledge base near an opened folder, be it one that is not served. */
  isNear = false;
  private readonly changedState = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changedState.event;
  status: StatusResult | undefined;
  health: DidChangeStatus | undefined;
  readonly experts: Experts;
  readonly inFile: InFile;
  readonly inPlay: InPlay;
  private readonly expertsTree: NodeTree;
  private readonly inFileTree: NodeTree;
  private readonly inPlayTree: NodeTree;
  private readonly claim: ClaimPage;
  private readonly reading = new ReadingPosition(
    (part) => void this.lookAt(part),
    (caret) => this.inFile.follow(caret),
    (text) => this.typed(text),
  );
  private readonly item = statusItem();
  private readonly subscriptions: readonly vscode.Disposable[];
  private refreshing: NodeJS.Timeout | undefined;
  /** The text at hand (`textAtHand`) when typing last stood still. */
  private text = '';
  private inPlayTurn = 0;
  private placeholder = NO_PLACEHOLDER;
  private readonly refresh = coalesce(() => this.refreshNow());

  constructor(
    private readonly ask: Ask,
    private readonly log: vscode.LogOutputChannel,
    state: vscode.Memento,
  ) {
    this.claim = new ClaimPage(ask, () => [...workspaceFolders(), ...this.knowledgeBases]);
    const redraw = (tree: () => NodeTree) => (changed?: readonly Node[]) => {
      this.drawHeadings(); // first: what stands above the rows pushes them down
      tree().redraw(changed);
    };
    const inPlay = redraw(() => this.inPlayTree);
    this.inPlay = new InPlay(ask, inPlay, () => this.placeholder.rows);
    this.experts = new Experts(
      ask,
      redraw(() => this.expertsTree),
      (file) =>
        this.knowledgeBases.map((root) => `${vscode.Uri.joinPath(vscode.Uri.file(root), file)}`),
    );
    const inFile = redraw(() => this.inFileTree);
    this.inFile = new InFile(ask, inFile, new Dismissals(state), (claims) =>
      this.claim.showAtCaret(claims),
    );
    const chosen = (node: Node) => node.kind === 'claim' && this.claim.select(node.claim);
    this.inPlayTree = new NodeTree('vouchSidecar.inPlay', this.inPlay, chosen);
    this.inFileTree = new NodeTree('vouchSidecar.inFile', this.inFile, chosen);
    this.expertsTree = new NodeTree('vouchSidecar.experts', this.experts, chosen);
    this.subscriptions = [
      this.inPlayTree,
      this.inFileTree,
      this.expertsTree,
      this.claim,
      this.item,
      this.reading,
      this.changedState,
      this.inFileTree.view.onDidChangeVisibility(() => this.reading.soon()),
    ];
    this.setState('loading');
  }

  get knowledgeBases(): readonly string[] {
    return (this.status?.roots ?? []).map(({ root }) => root);
  }

  setState(state: State): void {
    const isNew = state !== this.state;
    this.state = state;
    const { holds } = this;
    this.placeholder = placeholderOf(state, holds, this.status, pathThatIsSet());
    void setContext('holds', holds);
    // Where a path was set in vain, rows offer what can be done about it.
    void setContext('state', state === 'noServer' && pathThatIsSet() ? 'wrongPath' : state);
    if (isIdle(state) || this.isPaused) {
      this.inPlayTurn += 1; // what is asked just now comes too late
      this.inPlay.clear();
    } else this.inPlay.update();
    if (this.isBlank) {
      this.inFile.clear();
      this.claim.clear();
      this.experts.clear();
    }
    if (state === 'loading') this.reading.soon();
    this.drawHeadings();
    if (isNew) this.changedState.fire(state);
  }

  /** The server answers: what it serves, and what is in play by now. */
  async onServerRunning(): Promise<void> {
    this.health = undefined;
    await this.refresh();
  }

  /** Pauses what is said unasked for some seconds, until it is resumed where none are given; 0 resumes. */
  async pause(seconds: number | null): Promise<void> {
    await this.ask('vouch/pause', { seconds });
    this.refreshSoon();
  }

  onStatus(health: DidChangeStatus): void {
    this.health = health;
    this.drawHeadings();
    this.refreshSoon();
  }

  /** Takes in what changed; several changes in a row at once. */
  refreshSoon(): void {
    clearTimeout(this.refreshing);
    this.refreshing = setTimeout(() => void this.refresh(), STILL_MS);
  }

  /** The folder of a collection; null where there is only one. */
  rootOf(collection: string | null): string | null {
    const roots = this.status?.roots ?? [];
    return roots.find((root) => root.collection === collection)?.root ?? null;
  }

  dispose(): void {
    clearTimeout(this.refreshing);
    for (const part of this.subscriptions) part.dispose();
  }

  /** Names are not asked for where the view is folded or hidden; claims are, for the badge. */
  private async lookAt(part: VisiblePart | undefined): Promise<void> {
    if (this.isBlank) return;
    if (part) this.inFile.expect(part.uri);
    if (this.state === 'loading') return;
    await this.inFile.look(part, this.inFileTree.view.visible);
  }

  /** Asks what is in play, and what a block for the text that was edited last would hold. */
  private async refreshInPlay(): Promise<void> {
    if (this.isPaused) return;
    this.inPlayTurn += 1;
    const turn = this.inPlayTurn;
    try {
      const { salience, followed } = await this.ask('vouch/salience', { top_k: IN_PLAY });
      if (turn !== this.inPlayTurn) return;
      this.inPlay.rank(newestFirst(salience));
      const task = followed && this.inPlayTree.view.visible ? this.text.trim() : '';
      const items = task ? (await this.ask('vouch/context', { task })).items : [];
      const rows = await blockRows(this.ask, items);
      if (turn === this.inPlayTurn) this.inPlay.holdBlock(rows);
    } catch (error) {
      this.log.debug(`What is in play could not be asked: ${String(error)}`);
    }
  }

  private typed(text: string): void {
    this.text = text;
    if (this.state === 'ready') void this.refreshInPlay();
  }

  private async refreshNow(): Promise<void> {
    try {
      this.status = await this.ask('vouch/status', {});
      this.setState(stateOf(this.status));
      if (!this.status.complete) return;
      this.reading.soon();
      this.claim.refresh();
      this.inPlay.moveTo(this.status.generation);
      this.inFile.moveTo(this.status.generation);
      await this.refreshInPlay();
      if (!this.isBlank) await this.experts.refresh();
    } catch (error) {
      this.log.debug(`What the server has could not be asked: ${String(error)}`);
    }
  }

  private get holds() {
    return this.state === 'ready' && this.status ? holdsOf(this.status) : '';
  }

  private get isPaused(): boolean {
    return this.status !== undefined && pausedUntil(this.status) !== undefined;
  }

  /** Nothing is served, or nothing of it could be read: the views say why. */
  private get isBlank(): boolean {
    return isIdle(this.state) || this.holds === 'unreadable';
  }

  /** The lines above the rows, and the status. */
  private drawHeadings(): void {
    const { question, headline } = this.experts;
    const types = question?.types ?? [];
    this.expertsTree.view.message = headline;
    this.expertsTree.view.description =
      headline && types.length > 0 ? `only ${types.join(', ')}` : '';
    void setContext('asked', headline !== '');
    const value = this.inFile.count;
    const tooltip = `${plural(value, 'claim')} on the file that you are reading`;
    this.inFileTree.view.badge = value > 0 ? { value, tooltip } : undefined;
    this.inPlayTree.view.message = this.inPlay.isEmpty ? this.placeholder.words : '';
    this.inPlayTree.view.description = vscode.workspace.isTrusted ? '' : 'Restricted Mode';
    const isTold = this.state !== 'none' || Boolean(this.status?.refused.length);
    if (!this.isNear || !isTold) this.item.hide();
    else drawStatus(this.item, summarize(this.state, this.status, this.health));
  }
}

const setContext = (key: string, value: unknown) =>
  vscode.commands.executeCommand('setContext', `vouchSidecar.${key}`, value);

const pathThatIsSet = (): string =>
  vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', '').trim();

function stateOf(status: StatusResult): State {
  if (!status.complete) return 'loading';
  return status.roots.length === 0 ? 'none' : 'ready';
}
