/** "Explain": why something is in play or ranks where it does, with every figure, to be read. */
import * as vscode from 'vscode';
import type { Experts } from '../experts/expertsView';
import type { InFile } from '../inFile/inFileView';
import { textAtHand } from '../prompts/textAtHand';
import type { Ask } from '../tree/ask';
import { type Node, nameOf } from '../tree/nodes';
import { explainedExpert, explainedRow, explainedText } from './explanations';

const SCHEME = 'vouch-explain';
/** Its lines are wrapped. */
const LANGUAGE = 'vouch-explanation';
const PAGE = vscode.Uri.from({ scheme: SCHEME, path: 'Explain' });

export class Explain implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private text = '';
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(
    private readonly ask: Ask,
    private readonly experts: Experts,
    private readonly inFile: InFile,
  ) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Explains a row of the panel, or else the text at the caret. */
  async run(node?: Node): Promise<void> {
    const text = node?.kind === 'expert' ? await this.expert(node) : await this.textAround(node);
    this.text = text || 'There is no text to explain: open a file or a prompt.\n';
    this.changed.fire(PAGE);
    const page = await vscode.workspace.openTextDocument(PAGE);
    const document = await vscode.languages.setTextDocumentLanguage(page, LANGUAGE);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.provider.dispose();
    this.changed.dispose();
  }

  private async expert(node: Node): Promise<string> {
    const row = await this.experts.explain(node);
    return row ? explainedExpert(this.experts.question?.topic ?? '', row) : '';
  }

  private async textAround(node: Node | undefined): Promise<string> {
    const figures = node && 'figures' in node ? node.figures : undefined;
    const why = node && figures ? [explainedRow(nameOf(node), figures)] : [];
    const place = node && this.inFile.placeOf(node);
    const isOwn = vscode.window.activeTextEditor?.document.uri.scheme === SCHEME;
    const text = isOwn ? '' : textAtHand(place?.start.line);
    const result = text.trim() ? await this.ask('vouch/explain', { text }) : undefined;
    return [...why, ...(result ? [explainedText(text, result)] : [])].join('\n');
  }
}
