/** Keeps the side panel and the status in step with what the server says. */
import * as vscode from 'vscode';
import { ClaimPage } from './claim/claimView';
import type { DidChangeStatus } from './protocol.gen';
import { Reading } from './reading';
import { coalesce } from './server/coalesce';
import { hasNames, isIdle, kindOf, type State } from './status/state';
import { drawStatus, statusItem } from './status/statusItem';
import type { Ask, Node } from './tree/nodes';
import type { Rows } from './tree/rows';
import { NodeTree } from './tree/tree';
import { Experts } from './views/experts';
import { InFile } from './views/inFile';
import { InPlay } from './views/inPlay';
import { workspaceFolders } from './workspace';

export class Panel implements vscode.Disposable {
  state: State = { kind: 'loading' };
  readonly experts: Experts;
  readonly inFile: InFile;
  readonly inPlay: InPlay;
  /** Takes in what changed; several changes in a row at once. */
  readonly refresh = coalesce(() => this.refreshNow());
  private readonly changedState = new vscode.EventEmitter<void>();
  readonly onDidChangeState = this.changedState.event;
  private readonly trees: readonly NodeTree[];
  private readonly claim: ClaimPage;
  private readonly reading: Reading;
  private readonly item = statusItem();
  /** How each view that asks forgets all, and asks anew. In Play is pushed, and alone hides in a pause. */
  private readonly asking = [
    [() => this.inFile.look(undefined), () => this.reading.soon()],
    [() => this.experts.clear(), () => this.experts.refresh()],
    [() => this.claim.select(undefined), () => this.claim.refresh()],
  ] as const;

  constructor(
    private readonly ask: Ask,
    private readonly log: vscode.LogOutputChannel,
    session: string,
  ) {
    const folders = () => [...workspaceFolders(), ...this.roots.map(({ root }) => root)];
    this.claim = new ClaimPage(ask, folders);
    this.inPlay = new InPlay(ask, session);
    this.experts = new Experts(ask);
    this.inFile = new InFile(ask, (claims) => this.claim.showAtCaret(claims));
    const used = (node?: Node) => {
      this.inPlay.touched();
      if (node?.claim) this.claim.select(node.claim);
    };
    const views = { inPlay: this.inPlay, inFile: this.inFile, experts: this.experts };
    const tree = ([name, rows]: [string, Rows]) => new NodeTree(`vouchSidecar.${name}`, rows, used);
    this.trees = Object.entries(views).map(tree);
    this.reading = new Reading(
      (uri) => {
        if (this.isBlank) return;
        void this.inFile.look(uri);
        void this.claim.refresh();
      },
      (caret, isElsewhere) => {
        if (isElsewhere) this.claim.isChosen = false;
        this.inFile.follow(caret);
      },
      () => this.inPlay.touched(),
    );
  }

  setState(state: State): void {
    const isNew = state.kind !== this.state.kind;
    this.state = state;
    const tell = (key: string, value: unknown) =>
      vscode.commands.executeCommand('setContext', `vouchSidecar.${key}`, value);
    void tell('hasNames', state.status && hasNames(state.status));
    void tell('state', state.kind);
    if (!state.status) this.inPlay.clear();
    this.inPlay.hide(isIdle(state) || state.kind === 'paused');
    if (this.isBlank) for (const [forget] of this.asking) void forget();
    drawStatus(this.item, state);
    if (isNew) this.changedState.fire();
  }

  onStatus(health: DidChangeStatus): void {
    this.state = { ...this.state, health };
    void this.refresh();
  }

  /** Pauses what is said unasked for some seconds, until it is resumed where none are given; 0 resumes. */
  async pause(seconds: number | null): Promise<void> {
    await this.ask('vouch/pause', { seconds });
    await this.refresh();
  }

  /** The folder of a collection; null where there is only one. */
  rootOf(collection: string | null): string | null {
    return this.roots.find((root) => root.collection === collection)?.root ?? null;
  }

  dispose(): void {
    const parts = [this.claim, this.item, this.reading, this.changedState];
    for (const part of [...this.trees, ...parts]) part.dispose();
  }

  private async refreshNow(): Promise<void> {
    try {
      const status = await this.ask('vouch/status', {});
      const { kind: was, health, status: before } = this.state;
      this.setState({ kind: kindOf(status, health), status, health });
      const isKnown = was === this.state.kind && before?.generation === status.generation;
      if (this.state.kind === 'loading' || isKnown) return;
      this.inPlay.redraw(); // what is unfolded is asked for anew
      if (!this.isBlank) await Promise.all(this.asking.map(([, askAnew]) => askAnew()));
    } catch (error) {
      this.log.debug(`What the server has could not be asked: ${String(error)}`);
    }
  }

  private get roots() {
    return this.state.status?.roots ?? [];
  }

  /** Nothing is served, or nothing of it could be read: the views say why. */
  private get isBlank(): boolean {
    return isIdle(this.state) || this.state.kind === 'unreadable';
  }
}
