/** Asking for experts: the topic with its history, the weight, the types. */
import * as vscode from 'vscode';
import type { Panel } from './panel';
import type { Ask } from './views/ask';
import {
  type Experts,
  type Question,
  remember,
  WEIGHT_TITLES,
  WEIGHTS,
  type Weight,
} from './views/experts';
import { messageOf } from './views/inPlay';

const HISTORY = 'experts.history';
const MOST = 100;

interface Choice extends vscode.QuickPickItem {
  readonly topic?: string;
}

export class ExpertCommands {
  constructor(
    private readonly panel: Panel,
    private readonly memory: vscode.Memento,
    private readonly typesOf: (topic: string) => Promise<string[]>,
  ) {}

  /** Asks for a topic where none is given, and shows who carries the evidence on it. */
  async find(given?: string): Promise<void> {
    const topic = (given ?? (await this.askTopic()))?.trim();
    if (!topic) return;
    await this.memory.update(HISTORY, remember(this.history, topic));
    const { weight = WEIGHTS[0], types = [] } = this.experts.question ?? {};
    await vscode.commands.executeCommand('vouchSidecar.experts.focus');
    await this.run({ topic, weight, types });
  }

  async chooseWeight(): Promise<void> {
    const now = this.experts.question;
    if (!now) return;
    const items = WEIGHTS.map((weight) => ({
      weight,
      label: `${weight === now.weight ? '$(check)' : '$(blank)'} ${weight}`,
      description: WEIGHT_TITLES[weight],
    }));
    const placeHolder = 'Weigh the evidence by…';
    const chosen: { weight: Weight } | undefined = await vscode.window.showQuickPick(items, {
      placeHolder,
    });
    if (chosen) await this.run({ ...now, weight: chosen.weight });
  }

  async chooseTypes(): Promise<void> {
    const now = this.experts.question;
    if (!now) return;
    const types = [...new Set([...(await this.typesOf(now.topic)), ...now.types])].sort();
    const items = types.map((label) => ({ label, picked: now.types.includes(label) }));
    const chosen = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      placeHolder: 'Show only these types; none for all',
    });
    if (chosen) await this.run({ ...now, types: chosen.map(({ label }) => label) });
  }

  clear(): void {
    this.experts.clear();
    this.describe();
  }

  private get experts(): Experts {
    return this.panel.experts;
  }

  private get history(): string[] {
    return this.memory.get<string[]>(HISTORY, []);
  }

  private async run(question: Question): Promise<void> {
    const location = { location: { viewId: 'vouchSidecar.experts' } };
    try {
      await vscode.window.withProgress(location, () => this.experts.find(question));
    } catch (error) {
      void vscode.window.showWarningMessage(`Vouch: ${messageOf(error)}`);
    }
    this.describe();
  }

  private describe(): void {
    const { question } = this.experts;
    this.panel.describeExperts();
    void vscode.commands.executeCommand('setContext', 'vouchSidecar.asked', Boolean(question));
    const filtered = (question?.types.length ?? 0) > 0;
    void vscode.commands.executeCommand('setContext', 'vouchSidecar.filtered', filtered);
  }

  private askTopic(): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick<Choice>();
    pick.title = 'Find Experts';
    pick.placeholder = 'A topic: words or a name';
    const before = this.history.map((topic) => ({ label: `$(history) ${topic}`, topic }));
    pick.items = before;
    pick.onDidChangeValue((value) => {
      const topic = value.trim();
      const typed = { label: `$(search) ${topic}`, topic, alwaysShow: true };
      pick.items = topic ? [typed, ...before] : before;
    });
    return new Promise((resolve) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.topic ?? pick.value);
        pick.hide();
      });
      pick.onDidHide(() => {
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
    });
  }
}

/** Types of the entities that the topic has evidence on, whatever is filtered now. */
export function typesFor(ask: Ask) {
  return async (topic: string): Promise<string[]> => {
    const { experts } = await ask('vouch/experts', { topic, limit: MOST });
    return experts.map(({ type }) => type);
  };
}
