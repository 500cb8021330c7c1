/** "Show What Changed This Week": claims that were confirmed or updated lately, to choose from. */
import * as vscode from 'vscode';
import type { Ask } from '../tree/claims';
import { rowText } from '../tree/nodes';
import { openTarget } from '../tree/open';

const LIMIT = 50;

export async function showChanged(ask: Ask): Promise<void> {
  const { hits } = await ask('vouch/search', { query: '', since: '7d', limit: LIMIT });
  if (hits.length === 0) throw new Error('No claim changed this week.');
  const items = hits.map(({ snippet, stale, uri }) => ({
    label: rowText(snippet),
    detail: stale ?? '',
    target: [uri],
  }));
  const title = 'Changed This Week';
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: 'Opens the claim',
  });
  if (chosen) await openTarget(chosen.target);
}
