/** Progress in the views, beside the server's own in the status bar, for work that takes long enough to be noticed. */
import * as vscode from 'vscode';

const NOTICED_AFTER_MS = 500;
const VIEWS = ['vouchSidecar.inPlay', 'vouchSidecar.experts'];

export class Progress implements vscode.Disposable {
  private waiting: NodeJS.Timeout | undefined;
  private end: (() => void) | undefined;

  /** Shown from half a second after it became busy until it no longer is. */
  set(busy: boolean): void {
    if (busy && !this.waiting) {
      this.waiting = setTimeout(() => this.begin(), NOTICED_AFTER_MS);
    } else if (!busy) this.dispose();
  }

  dispose(): void {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.end?.();
    this.end = undefined;
  }

  private begin(): void {
    const done = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    const title = 'Vouch: reading the knowledge base';
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title },
      () => done,
    );
    for (const viewId of VIEWS)
      void vscode.window.withProgress({ location: { viewId } }, () => done);
  }
}
