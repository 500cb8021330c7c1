/** Draws rows as a native tree view. */
import * as vscode from 'vscode';
import { messageOf } from '../text/words';
import { type Node, noteNode } from './nodes';
import { ClickGuard, drawAround, type Rows } from './rows';

export class NodeTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly view: vscode.TreeView<Node>;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly guard = new ClickGuard(() => this.changed.fire());
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    id: string,
    private readonly rows: Rows,
    /** Somebody uses the rows; with a node: selects it. */
    used: (node?: Node) => void,
  ) {
    rows.redraw = () => this.redraw();
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    const touched = (node?: Node) => {
      this.guard.touched();
      used(node);
    };
    this.subscriptions = [
      this.view,
      this.changed,
      this.view.onDidExpandElement(() => touched()),
      this.view.onDidCollapseElement(() => touched()),
      this.view.onDidChangeSelection(({ selection }) => touched(selection[0])),
    ];
  }

  private redraw(): void {
    drawAround(this.view, this.rows);
    this.guard.redraw();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) return [...this.rows.roots];
    const { id, children = [] } = node;
    if (typeof children !== 'function') return [...children];
    return children().catch((error) => [noteNode(id, messageOf(error), 'error')]);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, collapsible(node));
    item.id = node.id;
    item.description = node.description ?? '';
    if (typeof node.tooltip === 'string') item.tooltip = node.tooltip;
    const color = node.warns ? new vscode.ThemeColor('list.warningForeground') : undefined;
    item.iconPath = new vscode.ThemeIcon(node.icon, color);
    item.contextValue = node.menu ?? '';
    if (node.target || node.claim) {
      item.command = { command: 'vouchSidecar.openRow', title: 'Open File', arguments: [node] };
    }
    return item;
  }

  async resolveTreeItem(item: vscode.TreeItem, { tooltip }: Node): Promise<vscode.TreeItem> {
    if (typeof tooltip === 'function') item.tooltip = await tooltip().catch(messageOf);
    return item;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

function collapsible({ children = [], open }: Node): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (children.length === 0 && typeof children !== 'function') return None;
  return open ? Expanded : Collapsed;
}
