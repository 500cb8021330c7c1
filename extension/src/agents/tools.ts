/** The tools that language models in the editor may call; each is one question to the server. */
import type * as vscode from 'vscode';
import type { Requests } from '../protocol.gen';
import { contextText, expertsText, harmless, salienceText } from './text';

/** The session of what the editor's agents ask: the window of what the user writes stays as it is. */
export const AGENT_SESSION = 'vscode-agent';

export type AskWithToken = <M extends keyof Requests>(
  method: M,
  params: Requests[M]['params'],
  token: vscode.CancellationToken,
) => Promise<Requests[M]['result']>;

/** The part of VS Code that is needed; older ones have no `registerTool`. */
export type ToolApi = Pick<
  typeof vscode,
  'CancellationError' | 'LanguageModelTextPart' | 'LanguageModelToolResult' | 'MarkdownString'
> & { readonly lm?: Partial<Pick<typeof vscode.lm, 'registerTool'>> };

/** A tool as the manifest declares it. */
export interface Declared {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, unknown>> };
}

type Input = Readonly<Record<string, unknown>>;

interface Question {
  /** What is shown while it runs. */
  message(input: Input): string;
  answer(ask: AskWithToken, input: Input, token: vscode.CancellationToken): Promise<string>;
}

// What a model sends is checked by the server, which answers with a readable message.
const QUESTIONS: Readonly<Record<string, Question>> = {
  vouch_experts: {
    message: ({ topic }) => `Asking Vouch who carries the evidence on ${quoted(topic)}`,
    answer: async (ask, input, token) => {
      const params = { ...input, session_id: AGENT_SESSION } as Requests['vouch/experts']['params'];
      return expertsText(await ask('vouch/experts', params, token));
    },
  },
  vouch_salience: {
    message: () => 'Asking Vouch what is in play in the editor',
    // Without a session it is the editor's own, and asking leaves no trace in it.
    answer: async (ask, input, token) => salienceText(await ask('vouch/salience', input, token)),
  },
  vouch_context: {
    message: ({ task }) => `Asking Vouch what is known about ${quoted(task)}`,
    answer: async (ask, input, token) =>
      contextText(await ask('vouch/context', { ...input, session_id: AGENT_SESSION }, token)),
  },
};

const quoted = (text: unknown): string =>
  typeof text === 'string' ? `“${harmless(text)}”` : 'this';

/** Registers the declared tools; nothing where VS Code knows none. */
export function registerTools(
  api: ToolApi,
  declared: readonly Declared[],
  ask: AskWithToken,
): vscode.Disposable[] {
  const { lm } = api;
  if (typeof lm?.registerTool !== 'function') return [];
  const registered: vscode.Disposable[] = [];
  for (const { name, inputSchema } of declared) {
    const question = QUESTIONS[name];
    if (!question) continue;
    const known = Object.keys(inputSchema.properties);
    registered.push(lm.registerTool<Input>(name, tool(api, question, known, ask)));
  }
  return registered;
}

function tool(
  api: ToolApi,
  question: Question,
  known: readonly string[],
  ask: AskWithToken,
): vscode.LanguageModelTool<Input> {
  return {
    prepareInvocation: ({ input }) => ({
      invocationMessage: new api.MarkdownString().appendText(question.message(input ?? {})),
    }),
    invoke: async ({ input }, token) => {
      if (token.isCancellationRequested) throw new api.CancellationError();
      try {
        const text = await question.answer(ask, only(known, input ?? {}), token);
        return new api.LanguageModelToolResult([new api.LanguageModelTextPart(text)]);
      } catch (error) {
        throw token.isCancellationRequested ? new api.CancellationError() : error;
      }
    },
  };
}

/** What a model may set, and nothing else: no viewer, no root, no session. */
const only = (known: readonly string[], input: Input): Input =>
  Object.fromEntries(known.filter((key) => input[key] != null).map((key) => [key, input[key]]));
