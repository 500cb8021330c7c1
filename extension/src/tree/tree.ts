/** Draws rows as a native tree view. */
import * as vscode from 'vscode';
import { messageOf } from '../text/words';
import { ClickGuard } from './clickGuard';
import { type Node, noteNode } from './nodes';
import type { Rows } from './rows';

/** A row as VS Code knows it: the same object for as long as the id stands. */
export interface Row {
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
    /** Somebody uses the rows; with a node: selects it. */
    private readonly used: (node?: Node) => void,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      this.guard,
      this.view.onDidExpandElement(() => this.touched()),
      this.view.onDidCollapseElement(() => this.touched()),
      this.view.onDidChangeSelection(({ selection }) => this.touched(selection[0])),
    ];
  }

  redraw(changed?: readonly Node[]): void {
    this.guard.redraw(changed);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    const nodes = row ? await childrenOf(row.node) : this.rows.roots;
    return nodes.map((node) => this.rowOf(node));
  }

  getTreeItem({ node }: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, collapsible(node));
    item.id = node.id;
    item.description = node.description ?? '';
    const { tooltip = [node.label] } = node;
    if (typeof tooltip !== 'function') item.tooltip = inLines(tooltip);
    const color = node.color ? new vscode.ThemeColor(node.color) : undefined;
    item.iconPath = new vscode.ThemeIcon(node.icon, color);
    item.contextValue = node.menu ?? '';
    const label = node.spoken ?? [node.label, node.description].filter(Boolean).join(', ');
    item.accessibilityInformation = { label, role: 'treeitem' };
    if (node.command) item.command = { command: node.command, title: node.label };
    else if (node.target || node.claim) {
      item.command = { command: 'vouchSidecar.openRow', title: 'Open File', arguments: [{ node }] };
    }
    return item;
  }

  async resolveTreeItem(item: vscode.TreeItem, { node }: Row): Promise<vscode.TreeItem> {
    if (typeof node.tooltip === 'function') {
      item.tooltip = inLines(await node.tooltip().catch((error) => [messageOf(error)]));
    }
    return item;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private touched(row?: Row): void {
    this.guard.touched();
    this.used(row?.node);
  }

  private rowOf(node: Node): Row {
    const row = this.rowsById.get(node.id) ?? { node };
    row.node = node;
    this.rowsById.set(node.id, row);
    return row;
  }
}

const inLines = (lines: readonly string[]): string => lines.filter(Boolean).join('\n');

async function childrenOf({ id, children = [] }: Node): Promise<readonly Node[]> {
  if (typeof children !== 'function') return children;
  return children().catch((error) => [noteNode(id, messageOf(error), 'error')]);
}

function collapsible({ children, open }: Node): vscode.TreeItemCollapsibleState {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  if (!children || children.length === 0) return typeof children === 'function' ? Collapsed : None;
  return open ? Expanded : Collapsed;
}
