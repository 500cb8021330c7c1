/** Finds the server: setting, selected Python environment, PATH, own installation. */
import path from 'node:path';
import { isBelow } from '../text/paths';
import { messageOf } from '../text/words';

/** Where a server was found, as the log calls it. */
const ORIGINS = {
  setting: 'Setting vouchSidecar.path',
  environment: 'Selected Python environment',
  path: 'PATH',
  installed: 'Installed by this extension',
};

type Origin = keyof typeof ORIGINS;

export interface ServerProgram {
  readonly command: string;
  readonly origin: Origin;
  readonly version: string;
}

/** What discovery may see and do; everything else about the machine is left to the caller. */
export interface DiscoveryHost {
  readonly home: string;
  readonly path: string;
  readonly trusted: boolean;
  readonly folders: readonly string[];
  readonly setting: string;
  /** Servers that this extension has installed, the one that it carries first. */
  installed(): Promise<readonly string[]>;
  /** The interpreter of the selected environment. */
  interpreter(): Promise<string | undefined>;
  /** The real path of an executable file, or undefined. */
  executable(file: string): Promise<string | undefined>;
  /** What `command --version` prints; rejects when it can't be run. */
  version(command: string): Promise<string>;
  log(line: string): void;
}

export const SCRIPT = process.platform === 'win32' ? 'vouch-sidecar.exe' : 'vouch-sidecar';

/**
 * The first server that says its version and `fits`, as is known once it was started; a path that was
 * set is the only one tried.
 */
export async function discover(
  host: DiscoveryHost,
  fits: (program: ServerProgram) => Promise<boolean> = async () => true,
): Promise<ServerProgram | undefined> {
  for (const [origin, candidates] of sources(host)) {
    for (const command of await candidates()) {
      const version = await attempt(host, origin, command);
      if (version === undefined) continue;
      const program = { command, origin, version };
      if (await fits(program)) return program;
    }
  }
  host.log('No server was found.');
  return undefined;
}

function sources(host: DiscoveryHost): [Origin, () => Promise<readonly string[]>][] {
  const setting = host.setting.trim().replace(/^~(?=[\\/]|$)/, host.home);
  if (setting) return [['setting', async () => [setting]]];
  return [
    ['environment', () => inEnvironment(host)],
    ['path', async () => onPath(host)],
    ['installed', () => host.installed()],
  ];
}

async function inEnvironment(host: DiscoveryHost): Promise<string[]> {
  const interpreter = host.trusted ? await host.interpreter() : undefined;
  if (interpreter) return [path.join(path.dirname(interpreter), SCRIPT)];
  const why = host.trusted ? 'none' : 'left out, the workspace is not trusted';
  host.log(`${ORIGINS.environment}: ${why}.`);
  return [];
}

const onPath = (host: DiscoveryHost): string[] =>
  host.path
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, SCRIPT));

/** The version of a server that may be run. */
async function attempt(
  host: DiscoveryHost,
  origin: Origin,
  command: string,
): Promise<string | undefined> {
  const refuse = (why: string): undefined => {
    host.log(`${ORIGINS[origin]}: ${command}: ${why}`);
  };
  if (!path.isAbsolute(command)) return refuse('not an absolute path.');
  const real = await host.executable(command);
  if (!real) return origin === 'path' ? undefined : refuse('not there.');
  if (!host.trusted && [command, real].some((file) => isBelow(file, host.folders))) {
    return refuse('left out, it lies in a workspace that is not trusted.');
  }
  try {
    const version = /\b\d+\.\d+\.\d+\S*/.exec(await host.version(command))?.[0];
    if (!version) return refuse('does not say its version.');
    host.log(`${ORIGINS[origin]}: ${command}: version ${version}, taken.`);
    return version;
  } catch (error) {
    return refuse(`can't be run: ${messageOf(error)}`);
  }
}
