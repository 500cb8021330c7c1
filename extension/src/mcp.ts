/** Offers the server that was found to the editor's agents as an MCP server. */
import path from 'node:path';
import type * as vscode from 'vscode';
import type { ServerProgram } from './server/discover';
import { safePython } from './text/paths';

/** As package.json declares it. */
export const PROVIDER = 'vouchSidecar.mcp';

/** The part of VS Code that is needed; editors made of it may lack it. */
export type McpApi = Pick<typeof vscode, 'Uri'> &
  Partial<Pick<typeof vscode, 'lm' | 'McpStdioServerDefinition'>>;

/** What is there to serve, asked anew each time. */
interface Served {
  readonly changed: vscode.Event<void>;
  /** The server, where it may be offered. */
  program(): ServerProgram | undefined;
  /** Opened folders with a knowledge base. */
  folders(): Promise<readonly string[]>;
}

/** Registers the provider; nothing where VS Code knows none. */
export function registerMcp(api: McpApi, served: Served): vscode.Disposable[] {
  const { lm, McpStdioServerDefinition: Stdio } = api;
  if (!lm || !('registerMcpServerDefinitionProvider' in lm) || !Stdio) return [];
  const provider = {
    onDidChangeMcpServerDefinitions: served.changed,
    async provideMcpServerDefinitions() {
      const program = served.program();
      if (!program) return [];
      const folders = await served.folders();
      return folders.map((folder) => {
        const label = folders.length > 1 ? `Vouch (${path.basename(folder)})` : 'Vouch';
        const { command, version } = program;
        const definition = new Stdio(label, command, ['mcp'], safePython(), version);
        definition.cwd = api.Uri.file(folder);
        return definition;
      });
    },
  };
  return [lm.registerMcpServerDefinitionProvider(PROVIDER, provider)];
}
