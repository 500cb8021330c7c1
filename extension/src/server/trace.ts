/** Where the client's trace goes. */
import * as vscode from 'vscode';

const wanted = (): boolean =>
  vscode.workspace.getConfiguration('vouchSidecar').get('trace.server') === 'messages';

/**
 * A channel that takes the client's trace exactly when the setting asks for it. The client reads
 * its detail from `<client id>.trace.server`, a section that nobody can set here, and so never
 * gets further than names and times: what messages hold stays out of every log.
 */
export function traceChannel(
  log: vscode.LogOutputChannel,
): vscode.LogOutputChannel & vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = () => (wanted() ? vscode.LogLevel.Trace : vscode.LogLevel.Info);
  const listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('vouchSidecar.trace.server')) changed.fire(level());
  });
  return Object.create(log, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: changed.event },
    trace: { value: (message: string) => log.info(message) },
    dispose: {
      value: () => {
        listener.dispose();
        changed.dispose();
      },
    },
  });
}
