/** Draws a model as a native tree view. */
import * as vscode from 'vscode';
import { literal } from '../text/links';
import type { Model } from './ask';
import { Calm } from './calm';
import { known, type Node } from './nodes';

const MARK = 'vouch-mark';

/** A row as VS Code knows it: the same object for as long as the id stands. */
interface Row {
  node: Node;
}

export class NodeTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly view: vscode.TreeView<Row>;
  private readonly changed = new vscode.EventEmitter<Row | Row[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly rows = new Map<string, Row>();
  private readonly calm = new Calm((rows) => this.draw(rows));
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    id: string,
    private readonly model: Model,
    private readonly chosen: (node: Node) => void,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      this.calm,
      this.view.onDidExpandElement(({ element }) => this.unfolded(element, true)),
      this.view.onDidCollapseElement(({ element }) => this.unfolded(element, false)),
      this.view.onDidChangeSelection(({ selection }) => this.selected(selection)),
    ];
  }

  redraw(rows: 'all' | readonly string[]): void {
    this.calm.redraw(rows);
  }

  private selected([row]: readonly Row[]): void {
    this.calm.touched();
    if (row) this.chosen(row.node);
  }

  private unfolded({ node }: Row, open: boolean): void {
    this.calm.touched();
    this.model.expanded(node, open);
  }

  private draw(rows: 'all' | readonly string[]): void {
    if (rows === 'all') {
      this.changed.fire(undefined);
      return;
    }
    this.adopt(this.model.roots);
    const known = rows.flatMap((id) => this.rows.get(id) ?? []);
    if (known.length > 0) this.changed.fire(known);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    return this.adopt(row ? await this.model.children(row.node) : this.model.roots);
  }

  getTreeItem({ node }: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, collapsible(node));
    item.id = node.id;
    item.description = node.description ?? '';
    item.iconPath = new vscode.ThemeIcon(
      node.icon,
      node.color ? new vscode.ThemeColor(node.color) : undefined,
    );
    item.contextValue = contextOf(node);
    const label = node.spoken ?? [node.label, node.description].filter(Boolean).join(', ');
    item.accessibilityInformation = { label, role: 'treeitem' };
    if ('mark' in node) item.resourceUri = vscode.Uri.from({ scheme: MARK, path: `/${node.mark}` });
    if (node.kind === 'command') item.command = { command: node.command, title: node.label };
    if ('target' in node) {
      item.command = { command: 'vouchSidecar.openRow', title: 'Open File', arguments: [{ node }] };
    }
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, { node }: Row): vscode.TreeItem {
    const [heading = '', ...lines] = node.tooltip ?? [node.label];
    const text = [`**${literal(heading)}**`, ...lines.map(literal)].join('\n\n');
    item.tooltip = new vscode.MarkdownString(node.kind === 'claim' ? plainHeading(text) : text);
    return item;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private adopt(nodes: readonly Node[]): Row[] {
    return nodes.map((node) => {
      const row = this.rows.get(node.id);
      if (row) {
        row.node = node;
        return row;
      }
      const fresh = { node };
      this.rows.set(node.id, fresh);
      return fresh;
    });
  }
}

/** What menus go by. */
function contextOf(node: Node): string {
  if (node.kind === 'entity' || node.kind === 'expert') {
    return node.subject.isTopic ? `${node.kind} topic` : node.kind;
  }
  if (node.kind === 'claim') return node.key === undefined ? 'claim' : 'claim tied';
  return node.kind;
}

function collapsible(node: Node): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if ('open' in node && node.open) return Expanded;
  if (known(node)) return known(node)?.length ? Collapsed : None;
  return node.kind === 'entity' || node.kind === 'expert' ? Collapsed : None;
}

/** The text of a claim is read, not shouted. */
const plainHeading = (markdown: string): string => markdown.replace(/^\*\*([\s\S]*?)\*\*/, '$1');

/** Dims the label of rows that are no longer in play. */
export class GoneRows implements vscode.FileDecorationProvider {
  provideFileDecoration({ scheme }: vscode.Uri): vscode.FileDecoration | undefined {
    if (scheme !== MARK) return undefined;
    return { color: new vscode.ThemeColor('vouchSidecar.goneForeground') };
  }
}
