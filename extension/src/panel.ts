/** Keeps the side panel and the status in step with what the server says. */
import * as vscode from 'vscode';
import { ClaimPage } from './claim/claimView';
import { workspaceFolders } from './folders';
import type { DidChangeSalience, DidChangeStatus } from './protocol.gen';
import { Reading, STILL_MS } from './reading';
import { coalesce } from './server/coalesce';
import { holdsOf, isIdle, pausedUntil, placeholderOf, type State, stateOf } from './status/state';
import { drawStatus, statusItem } from './status/statusItem';
import { plural } from './text/words';
import type { Ask } from './tree/claims';
import type { Node } from './tree/nodes';
import type { Rows } from './tree/rows';
import { NodeTree } from './tree/tree';
import { Experts } from './views/experts';
import { Dismissals, InFile } from './views/inFile';
import { InPlay } from './views/inPlay';

export class Panel implements vscode.Disposable {
  state: State = { kind: 'loading' };
  health: DidChangeStatus | undefined;
  /** Whether there is a knowledge base near an opened folder, be it one that is not served. */
  isNear = false;
  readonly experts: Experts;
  readonly inFile: InFile;
  readonly inPlay: InPlay;
  private readonly changedState = new vscode.EventEmitter<State>();
  readonly onDidChangeState = this.changedState.event;
  private readonly trees: Record<'inPlay' | 'inFile' | 'experts', NodeTree>;
  private readonly claim: ClaimPage;
  private readonly reading: Reading;
  private readonly item = statusItem();
  private refreshing: NodeJS.Timeout | undefined;
  private generation = -1;
  private readonly refresh = coalesce(() => this.refreshNow());

  constructor(
    private readonly ask: Ask,
    private readonly log: vscode.LogOutputChannel,
    session: string,
    memory: vscode.Memento,
  ) {
    this.claim = new ClaimPage(ask, () => [...workspaceFolders(), ...this.knowledgeBases]);
    const redraw = (view: keyof Panel['trees']) => (changed?: readonly Node[]) => {
      this.drawHeadings(); // first: what stands above the rows pushes them down
      this.trees[view].redraw(changed);
    };
    const placeholder = () => placeholderOf(this.state).rows;
    this.inPlay = new InPlay(ask, redraw('inPlay'), session, placeholder);
    this.experts = new Experts(ask, redraw('experts'));
    this.inFile = new InFile(ask, redraw('inFile'), new Dismissals(memory), (claims) =>
      this.claim.showAtCaret(claims),
    );
    const used = (node?: Node) => {
      this.inPlay.touched();
      if (node?.claim) this.claim.select(node.claim);
    };
    const tree = (name: string, rows: Rows) => new NodeTree(`vouchSidecar.${name}`, rows, used);
    this.trees = {
      inPlay: tree('inPlay', this.inPlay),
      inFile: tree('inFile', this.inFile),
      experts: tree('experts', this.experts),
    };
    this.reading = new Reading(
      (uri) => void this.look(uri),
      (caret) => this.inFile.follow(caret),
      () => this.inPlay.touched(),
    );
    this.setState(this.state);
  }

  get knowledgeBases(): readonly string[] {
    return this.state.kind === 'ready' ? this.state.status.roots.map(({ root }) => root) : [];
  }

  setState(state: State): void {
    const isNew = state.kind !== this.state.kind;
    this.state = state;
    const isPathWrong = state.kind === 'noServer' && state.path !== '';
    void setContext('holds', holdsOf(state));
    void setContext('state', isPathWrong ? 'wrongPath' : state.kind);
    if (isIdle(state) || pausedUntil(state)) this.inPlay.clear();
    else this.inPlay.update();
    if (this.isBlank) {
      this.inFile.clear();
      this.claim.clear();
      this.experts.clear();
    }
    if (state.kind === 'loading') this.reading.soon();
    this.drawHeadings();
    if (isNew) this.changedState.fire(state);
  }

  /** A server answers, in which nothing is in play yet. */
  async onServerRunning(): Promise<void> {
    this.health = undefined;
    this.generation = -1;
    this.inPlay.clear();
    await this.refresh();
  }

  onPush(push: DidChangeSalience): void {
    if (!isIdle(this.state)) this.inPlay.push(push);
  }

  onStatus(health: DidChangeStatus): void {
    this.health = health;
    this.drawHeadings();
    this.refreshSoon();
  }

  /** Pauses what is said unasked for some seconds, until it is resumed where none are given; 0 resumes. */
  async pause(seconds: number | null): Promise<void> {
    await this.ask('vouch/pause', { seconds });
    this.refreshSoon();
  }

  /** Takes in what changed; several changes in a row at once. */
  refreshSoon(): void {
    clearTimeout(this.refreshing);
    this.refreshing = setTimeout(() => void this.refresh(), STILL_MS);
  }

  /** The folder of a collection; null where there is only one. */
  rootOf(collection: string | null): string | null {
    const roots = this.state.kind === 'ready' ? this.state.status.roots : [];
    return roots.find((root) => root.collection === collection)?.root ?? null;
  }

  dispose(): void {
    clearTimeout(this.refreshing);
    const { inPlay, inFile, experts } = this.trees;
    const parts = [inPlay, inFile, experts, this.claim, this.item, this.reading];
    for (const part of [...parts, this.changedState]) part.dispose();
  }

  private async look(uri: string | undefined): Promise<void> {
    if (!this.isBlank) await this.inFile.look(uri);
  }

  private async refreshNow(): Promise<void> {
    try {
      const status = await this.ask('vouch/status', {});
      this.setState(stateOf(status));
      if (!status.complete || status.generation === this.generation) return;
      this.generation = status.generation;
      this.reading.soon();
      this.claim.refresh();
      this.trees.inPlay.redraw(); // what is unfolded is asked for anew
      if (!this.isBlank) await this.experts.refresh();
    } catch (error) {
      this.log.debug(`What the server has could not be asked: ${String(error)}`);
    }
  }

  /** Nothing is served, or nothing of it could be read: the views say why. */
  private get isBlank(): boolean {
    return isIdle(this.state) || holdsOf(this.state) === 'unreadable';
  }

  /** The lines above the rows, and the status. */
  private drawHeadings(): void {
    const { inPlay, inFile, experts } = this.trees;
    experts.view.message = this.experts.headline;
    void setContext('asked', this.experts.headline !== '');
    const value = this.inFile.broken;
    const tooltip = `${plural(value, 'claim')} on this file whose quote is gone from it`;
    inFile.view.badge = value > 0 ? { value, tooltip } : undefined;
    inPlay.view.message = this.inPlay.isEmpty ? placeholderOf(this.state).words : '';
    inPlay.view.description = vscode.workspace.isTrusted ? '' : 'Restricted Mode';
    const isTold = this.state.kind !== 'none' || this.state.refused.length > 0;
    if (!this.isNear || !isTold) this.item.hide();
    else drawStatus(this.item, this.state, this.health);
  }
}

const setContext = (key: string, value: unknown) =>
  vscode.commands.executeCommand('setContext', `vouchSidecar.${key}`, value);
