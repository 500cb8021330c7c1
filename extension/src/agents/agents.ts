/** Tools and MCP server for the editor's own agents, while there is something that they may ask. */
import * as vscode from 'vscode';
import { isKnowledgeNear } from '../server/knowledgeNearby';
import type { Server } from '../server/server';
import type { State } from '../status/words';
import { type McpApi, registerMcp } from './mcp';
import { type Declared, registerTools } from './tools';

export class Agents implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly provider: readonly vscode.Disposable[];
  private readonly declared: readonly Declared[];
  private tools: readonly vscode.Disposable[] = [];
  private offered = false;

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.declared = context.extension.packageJSON.contributes.languageModelTools;
    this.provider = registerMcp(vscode as unknown as McpApi, {
      changed: this.changed.event,
      found: () => (this.offered ? server.found : undefined),
      folders,
    });
  }

  /** A server that is only starting again keeps what it had. */
  setState(state: State): void {
    if (state === 'loading') return;
    const offered = state === 'ready' && vscode.workspace.isTrusted;
    if (offered === this.offered) return;
    this.offered = offered;
    this.withdraw();
    if (offered) {
      this.tools = registerTools(vscode, this.declared, (method, params, token) =>
        this.server.ask(method, params, token),
      );
    }
    this.changed.fire();
  }

  dispose(): void {
    this.withdraw();
    for (const part of [...this.provider, this.changed]) part.dispose();
  }

  private withdraw(): void {
    for (const tool of this.tools) tool.dispose();
    this.tools = [];
  }
}

async function folders(): Promise<string[]> {
  const opened = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const has = await Promise.all(opened.map(isKnowledgeNear));
  return opened.filter((_, at) => has[at]);
}
