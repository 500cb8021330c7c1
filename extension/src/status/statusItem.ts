/** The status bar item that says how the server is; a click shows the status. */
import * as vscode from 'vscode';
import type { Summary } from './summary';

const ICONS = { information: 'library', warning: 'warning', error: 'error' };

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

  show({ text, detail, severity }: Summary): void {
    this.item.text = `$(${ICONS[severity]}) ${text}`;
    this.item.tooltip = detail;
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
