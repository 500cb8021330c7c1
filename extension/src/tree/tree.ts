/** Draws rows as a native tree view. */
import * as vscode from 'vscode';
import { ClickGuard } from './clickGuard';
import type { Node } from './nodes';
import type { Rows } from './rows';

/** A row as VS Code knows it: the same object for as long as the id stands. */
interface Row {
  node: Node;
}

export class NodeTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly view: vscode.TreeView<Row>;
  private readonly changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly rowsById = new Map<string, Row>();
  private readonly guard = new ClickGuard((nodes) =>
    this.changed.fire(nodes?.map((node) => this.rowOf(node))),
  );
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    id: string,
    private readonly rows: Rows,
    private readonly chosen: (node: Node) => void,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      this.guard,
      this.view.onDidExpandElement(({ element }) => this.unfolded(element, true)),
      this.view.onDidCollapseElement(({ element }) => this.unfolded(element, false)),
      this.view.onDidChangeSelection(({ selection }) => this.selected(selection)),
    ];
  }

  redraw(changed?: readonly Node[]): void {
    this.guard.redraw(changed);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const nodes = row ? await this.rows.children(row.node) : this.rows.roots;
    return nodes.map((node) => this.rowOf(node));
  }

  getTreeItem({ node }: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, collapsible(node));
    item.id = node.id;
    item.description = node.description ?? '';
    item.tooltip = (node.tooltip ?? [node.label]).filter(Boolean).join('\n');
    const color = node.color ? new vscode.ThemeColor(node.color) : undefined;
    item.iconPath = new vscode.ThemeIcon(node.icon, color);
    item.contextValue = contextOf(node);
    const label = node.spoken ?? [node.label, node.description].filter(Boolean).join(', ');
    item.accessibilityInformation = { label, role: 'treeitem' };
    if (node.kind === 'command') item.command = { command: node.command, title: node.label };
    if ('target' in node) {
      item.command = { command: 'vouchSidecar.openRow', title: 'Open File', arguments: [{ node }] };
    }
    return item;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private selected([row]: readonly Row[]): void {
    this.guard.touched();
    if (row) this.chosen(row.node);
  }

  private unfolded({ node }: Row, open: boolean): void {
    this.guard.touched();
    this.rows.expanded(node, open);
  }

  private rowOf(node: Node): Row {
    const row = this.rowsById.get(node.id) ?? { node };
    row.node = node;
    this.rowsById.set(node.id, row);
    return row;
  }
}

/** What menus go by. */
function contextOf(node: Node): string {
  if (node.kind === 'entity' || node.kind === 'expert') {
    return node.subject.isTopic ? `${node.kind} topic` : node.kind;
  }
  return node.kind === 'claim' && node.key !== undefined ? 'claim tied' : node.kind;
}

function collapsible(node: Node): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if ('open' in node && node.open) return Expanded;
  if (node.kind === 'list') return node.children.length > 0 ? Collapsed : None;
  return node.kind === 'entity' || node.kind === 'expert' ? Collapsed : None;
}
