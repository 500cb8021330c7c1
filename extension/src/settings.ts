/** What the user has set of the settings that the server may be told. */
import { CLIENT_SETTINGS, USER_SETTINGS } from './settings.gen';

/** Where a value stands, as `WorkspaceConfiguration.inspect` says; the default is left aside. */
type Layers = { [at in 'globalValue' | 'workspaceValue' | 'workspaceFolderValue']?: unknown };

export type Settings = Readonly<Record<string, unknown>>;

/**
 * Only what was set by hand, nested by group: a default must not override `config.yaml`. VS Code
 * holds a workspace to the scope of registered settings alone, and not all of these are registered.
 */
export function explicitSettings(inspect: (key: string) => Layers | undefined): Settings {
  const settings: Record<string, unknown> = {};
  const take = (key: string, value: unknown) => {
    if (value === undefined) return;
    const [group = '', name] = key.split('.');
    settings[group] = name ? { ...(settings[group] as object), [name]: value } : value;
  };
  for (const key of CLIENT_SETTINGS) {
    const { workspaceFolderValue, workspaceValue, globalValue } = inspect(key) ?? {};
    take(key, workspaceFolderValue ?? workspaceValue ?? globalValue);
  }
  for (const key of USER_SETTINGS) take(key, inspect(key)?.globalValue);
  return settings;
}
