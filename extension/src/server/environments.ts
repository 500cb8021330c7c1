/** The interpreter of the selected Python environment, as the Python extensions tell it. */
import * as vscode from 'vscode';

interface EnvironmentsApi {
  getEnvironment(
    scope: vscode.Uri | undefined,
  ): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(scope?: vscode.Uri): { path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Asks ms-python.vscode-python-envs, then ms-python.python; neither has to be there. */
export async function selectedInterpreter(
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const scope = vscode.workspace.workspaceFolders?.[0]?.uri;
  for (const ask of [fromEnvironments, fromPython]) {
    try {
      const interpreter = await ask(scope);
      if (interpreter) return interpreter;
    } catch (error) {
      log.info(`A Python extension did not answer: ${String(error)}`);
    }
  }
  return undefined;
}

async function fromEnvironments(scope: vscode.Uri | undefined): Promise<string | undefined> {
  const api = await exportsOf<EnvironmentsApi>('ms-python.vscode-python-envs');
  return (await api?.getEnvironment(scope))?.execInfo?.run?.executable;
}

async function fromPython(scope: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await exportsOf<PythonApi>('ms-python.python'))?.environments;
  if (!environments) return undefined;
  const resolved = await environments.resolveEnvironment(
    environments.getActiveEnvironmentPath(scope),
  );
  return resolved?.executable?.uri?.fsPath;
}

async function exportsOf<T>(id: string): Promise<T | undefined> {
  const extension = vscode.extensions.getExtension<T>(id);
  return extension ? await extension.activate() : undefined;
}
