/** The status bar item that says how the server is; a click shows the status. */
import * as vscode from 'vscode';
import { inBar, type Summary } from './summary';

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'vouchSidecar.status',
    vscode.StatusBarAlignment.Right,
  );

  constructor() {
    this.item.name = 'Vouch';
    this.item.command = 'vouchSidecar.showStatus';
  }

  hide(): void {
    this.item.hide();
  }

  show(summary: Summary): void {
    const { severity } = summary;
    Object.assign(this.item, inBar(summary));
    this.item.backgroundColor =
      severity === 'information'
        ? undefined
        : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
