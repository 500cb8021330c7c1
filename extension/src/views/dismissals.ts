/** The claims that somebody dismissed, kept with the workspace. */
import type * as vscode from 'vscode';
import type { Dismissals } from './tied';

const KEY = 'dismissedClaims';

export class StoredDismissals implements Dismissals {
  constructor(private readonly state: vscode.Memento) {}

  of(uri: string): readonly string[] {
    return this.all[uri] ?? [];
  }

  add(uri: string, key: string): void {
    void this.state.update(KEY, { ...this.all, [uri]: [...this.of(uri), key] });
  }

  clear(uri: string): void {
    const { [uri]: _, ...rest } = this.all;
    void this.state.update(KEY, rest);
  }

  private get all(): Readonly<Record<string, readonly string[]>> {
    return this.state.get(KEY, {});
  }
}
