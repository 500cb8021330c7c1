/** The settings that the server may be told, and what the user has set of them. */

export const CLIENT_SETTINGS = [
  'recall.enabled',
  'recall.max_results',
  'recall.similarity_threshold',
  'recall.max_context_chars',
  'recall.timeout_ms',
  'recall.fallback_to_fts',
  'recall.include_key_facts',
  'recall.min_prompt_len',
  'prompts.idle_ms',
  'hover.enabled',
  'hover.max_claims',
] as const;

/** Where a value stands, as `WorkspaceConfiguration.inspect` says; the default is left aside. */
export interface Layers {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Only what was set by hand, nested by group: a default must not override `config.yaml`. */
export function explicitSettings(inspect: (key: string) => Layers | undefined): Settings {
  const settings: Record<string, Record<string, unknown>> = {};
  for (const key of CLIENT_SETTINGS) {
    const layers = inspect(key);
    const value = layers?.workspaceFolderValue ?? layers?.workspaceValue ?? layers?.globalValue;
    if (value === undefined) continue;
    const [group, name] = key.split('.') as [string, string];
    settings[group] ??= {};
    settings[group][name] = value;
  }
  return settings;
}
