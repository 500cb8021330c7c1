/** Shows how the server is: a language status, and a status bar item when something is wrong. */
import * as vscode from 'vscode';
import type { Summary } from './words';

const SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

export class StatusItems implements vscode.Disposable {
  private readonly language = vscode.languages.createLanguageStatusItem('vouchSidecar.status', [
    { scheme: 'file' },
    { scheme: 'untitled' },
  ]);
  private alarm: vscode.StatusBarItem | undefined;

  constructor() {
    this.language.name = 'Vouch';
    this.language.command = { command: 'vouchSidecar.showStatus', title: 'Show Status' };
  }

  show({ text, detail, severity, busy }: Summary): void {
    this.language.text = text;
    this.language.detail = detail;
    this.language.severity = SEVERITIES[severity];
    this.language.busy = busy;
    if (severity === 'information') this.calm();
    else this.raise(text, detail, severity);
  }

  dispose(): void {
    this.language.dispose();
    this.calm();
  }

  private calm(): void {
    this.alarm?.dispose();
    this.alarm = undefined;
  }

  private raise(text: string, detail: string, severity: 'warning' | 'error'): void {
    if (!this.alarm) {
      this.alarm = vscode.window.createStatusBarItem(
        'vouchSidecar.alarm',
        vscode.StatusBarAlignment.Right,
      );
      this.alarm.name = 'Vouch';
      this.alarm.command = 'vouchSidecar.showStatus';
    }
    this.alarm.text = severity === 'error' ? '$(error) Vouch' : '$(warning) Vouch';
    this.alarm.backgroundColor = new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.alarm.tooltip = [text, detail].filter(Boolean).join('\n');
    this.alarm.show();
  }
}
