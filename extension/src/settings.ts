/** What the user has set of the settings that the server may be told. */
import { CLIENT_SETTINGS } from './settings.gen';

/** Where a value stands, as `WorkspaceConfiguration.inspect` says; the default is left aside. */
interface Layers {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export type Settings = Readonly<Record<string, unknown>>;

/** Only what was set by hand, nested by group: a default must not override `config.yaml`. */
export function explicitSettings(inspect: (key: string) => Layers | undefined): Settings {
  const settings: Record<string, unknown> = {};
  for (const key of CLIENT_SETTINGS) {
    const layers = inspect(key);
    const value = layers?.workspaceFolderValue ?? layers?.workspaceValue ?? layers?.globalValue;
    if (value === undefined) continue;
    const [group, name] = key.split('.') as [string, string];
    settings[group] = { ...(settings[group] as object), [name]: value };
  }
  return settings;
}
