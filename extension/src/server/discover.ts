/** Finds the server: setting, selected Python environment, PATH, own installation. */
import path from 'node:path';
import { isBelow } from '../text/paths';
import { messageOf } from '../text/words';

export interface ServerProgram {
  readonly command: string;
  readonly version: string;
}

/** What discovery may see and do; everything else about the machine is left to the caller. */
export interface DiscoveryHost {
  readonly home: string;
  readonly path: string;
  /** Folders from which nothing may be run. */
  readonly untrusted: readonly string[];
  readonly setting: string;
  /** Servers that this extension has installed, the one that it carries first. */
  installed(): Promise<readonly string[]>;
  /** The interpreter of the selected environment; none where the workspace is not trusted. */
  interpreter(): Promise<string | undefined>;
  /** The real path of an executable file, or undefined. */
  executable(file: string): Promise<string | undefined>;
  /** What `command --version` prints; rejects when it can't be run. */
  version(command: string): Promise<string>;
  log(line: string): void;
}

export const SCRIPT = process.platform === 'win32' ? 'vouch-sidecar.exe' : 'vouch-sidecar';

/** The first server that says its version; a path that was set is the only one tried. */
export async function discover(host: DiscoveryHost): Promise<ServerProgram | undefined> {
  for (const candidates of sources(host)) {
    for (const command of await candidates()) {
      const version = await attempt(host, command);
      if (version) return { command, version };
    }
  }
  host.log('No server was found.');
  return undefined;
}

function sources(host: DiscoveryHost): (() => Promise<readonly string[]>)[] {
  const setting = host.setting.replace(/^~(?=[\\/]|$)/, host.home);
  if (setting) return [async () => [setting]];
  const inEnvironment = async () => {
    const interpreter = await host.interpreter();
    return interpreter ? [path.join(path.dirname(interpreter), SCRIPT)] : [];
  };
  const onPath = async () => {
    const folders = host.path.split(path.delimiter).filter(path.isAbsolute);
    return folders.map((folder) => path.join(folder, SCRIPT));
  };
  return [inEnvironment, onPath, () => host.installed()];
}

/** The version of a server that may be run. */
async function attempt(host: DiscoveryHost, command: string): Promise<string | undefined> {
  const refuse = (why: string): undefined => {
    host.log(`${command}: ${why}`);
  };
  if (!path.isAbsolute(command)) return refuse('not an absolute path.');
  const real = await host.executable(command);
  if (!real) return refuse('not there.');
  if ([command, real].some((file) => isBelow(file, host.untrusted))) {
    return refuse('left out, it lies in a workspace that is not trusted.');
  }
  try {
    const version = /\b\d+\.\d+\.\d+\S*/.exec(await host.version(command))?.[0];
    if (!version) return refuse('does not say its version.');
    host.log(`${command}: version ${version}, taken.`);
    return version;
  } catch (error) {
    return refuse(`can't be run: ${messageOf(error)}`);
  }
}
