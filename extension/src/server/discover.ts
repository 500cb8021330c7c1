/** Finds the server: setting, selected Python environment, PATH, own installation. */
import path from 'node:path';
import { messageOf } from '../text/errors';

const MINIMUM_VERSION = '0.1.0';

type Origin = 'setting' | 'environment' | 'path' | 'installed';

export interface Found {
  readonly command: string;
  readonly origin: Origin;
  readonly version: string;
}

/** What discovery may see and do; everything else about the machine is left to the caller. */
export interface DiscoveryHost {
  readonly platform: NodeJS.Platform;
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

/**
 * The first server that answers with a version new enough and `fits`, as is known once it was started;
 * a path that was set is the only one tried.
 */
export async function discover(
  host: DiscoveryHost,
  fits: (found: Found) => Promise<boolean> = async () => true,
): Promise<Found | undefined> {
  for (const [origin, candidates] of sources(host)) {
    for (const command of await candidates()) {
      const found = await attempt(host, origin, command);
      if (found && (await fits(found))) return found;
    }
  }
  host.log('No server was found.');
  return undefined;
}

function sources(host: DiscoveryHost): [Origin, () => Promise<readonly string[]>][] {
  const set = host.setting.trim();
  if (set) return [['setting', async () => [expandHome(set, host)]]];
  return [
    ['environment', () => inEnvironment(host)],
    ['path', async () => onPath(host)],
    ['installed', () => host.installed()],
  ];
}

async function inEnvironment(host: DiscoveryHost): Promise<string[]> {
  if (!host.trusted) {
    host.log('Selected Python environment: left out, the workspace is not trusted.');
    return [];
  }
  const interpreter = await host.interpreter();
  if (!interpreter) {
    host.log('Selected Python environment: none.');
    return [];
  }
  return [tools(host).join(tools(host).dirname(interpreter), scriptName(host.platform))];
}

function onPath(host: DiscoveryHost): string[] {
  const { join, delimiter, isAbsolute } = tools(host);
  return host.path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, scriptName(host.platform)));
}

async function attempt(
  host: DiscoveryHost,
  origin: Origin,
  command: string,
): Promise<Found | undefined> {
  const refuse = (why: string): undefined => {
    if (origin !== 'path' || why !== ABSENT) host.log(`${TITLES[origin]}: ${command}: ${why}`);
  };
  if (!tools(host).isAbsolute(command)) return refuse('not an absolute path.');
  const real = await host.executable(command);
  if (!real) return refuse(ABSENT);
  if (!host.trusted && [command, real].some((file) => inWorkspace(host, file))) {
    return refuse('left out, it lies in a workspace that is not trusted.');
  }
  try {
    const version = parseVersion(await host.version(command));
    if (!version) return refuse('does not say its version.');
    if (isOlder(version, MINIMUM_VERSION)) {
      return refuse(`is ${version}, ${MINIMUM_VERSION} or newer is needed.`);
    }
    host.log(`${TITLES[origin]}: ${command}: version ${version}, taken.`);
    return { command, origin, version };
  } catch (error) {
    return refuse(`can't be run: ${messageOf(error)}`);
  }
}

const ABSENT = 'not there.';
const TITLES: Record<Origin, string> = {
  setting: 'Setting vouchSidecar.path',
  environment: 'Selected Python environment',
  path: 'PATH',
  installed: 'Installed by this extension',
};

const tools = (host: DiscoveryHost) => (host.platform === 'win32' ? path.win32 : path.posix);

export const scriptName = (platform: NodeJS.Platform) =>
  platform === 'win32' ? 'vouch-sidecar.exe' : 'vouch-sidecar';

function expandHome(file: string, host: DiscoveryHost): string {
  return /^~(?=[\\/]|$)/.test(file) ? tools(host).join(host.home, file.slice(1)) : file;
}

function inWorkspace(host: DiscoveryHost, file: string): boolean {
  const { relative, isAbsolute, sep } = tools(host);
  return host.folders.some((folder) => {
    const way = relative(folder, file);
    return !isAbsolute(way) && way.split(sep)[0] !== '..';
  });
}

export function parseVersion(text: string): string | undefined {
  return /\b\d+\.\d+\.\d+\S*/.exec(text)?.[0];
}

export function isOlder(version: string, minimum: string): boolean {
  const numbers = (text: string) =>
    text.split('.', 3).map((part) => Number.parseInt(part, 10) || 0);
  const [a, b] = [numbers(version), numbers(minimum)];
  const at = [0, 1, 2].find((i) => a[i] !== b[i]);
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}
