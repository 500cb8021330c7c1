/** The status bar item that says how the server is; a click shows the status. */
import * as vscode from 'vscode';
import { inBar, type Summary } from './summary';

export function statusItem(): vscode.StatusBarItem {
  const right = vscode.StatusBarAlignment.Right;
  const item = vscode.window.createStatusBarItem('vouchSidecar.status', right);
  item.name = 'Vouch';
  item.command = 'vouchSidecar.showStatus';
  return item;
}

export function drawStatus(item: vscode.StatusBarItem, summary: Summary): void {
  const color = `statusBarItem.${summary.severity}Background`; // there is none for information
  const isAlarm = summary.severity !== 'information';
  const backgroundColor = isAlarm ? new vscode.ThemeColor(color) : undefined;
  Object.assign(item, { ...inBar(summary), backgroundColor });
  item.show();
}
