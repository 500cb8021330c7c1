import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiscoveryHost, discover } from '../src/server/discover';

function host(files: Record<string, string>, more: Partial<DiscoveryHost> = {}) {
  const lines: string[] = [];
  const tried: string[] = [];
  const made: DiscoveryHost = {
    home: '/home/me',
    path: '/usr/bin:/opt/bin',
    untrusted: [],
    setting: '',
    installed: async () => ['/store/server/bin/vouch-sidecar'],
    interpreter: async () => undefined,
    executable: async (file) => (file in files ? file : undefined),
    version: async (file) => {
      tried.push(file);
      return files[file] ?? '';
    },
    log: (line) => lines.push(line),
    ...more,
  };
  return { made, lines, tried };
}

const SERVER = 'vouch-sidecar, version 0.1.0';

test('the path that was set is the only one tried', async () => {
  const { made } = host({ '/usr/bin/vouch-sidecar': SERVER }, { setting: '/gone/vouch-sidecar' });
  assert.equal(await discover(made), undefined);
});

test('a tilde in the path that was set is the home folder', async () => {
  const { made } = host(
    { '/home/me/bin/vouch-sidecar': SERVER },
    { setting: '~/bin/vouch-sidecar' },
  );
  const found = await discover(made);
  assert.deepEqual(found, {
    command: '/home/me/bin/vouch-sidecar',
    version: '0.1.0',
  });
});

test('a relative path that was set is refused', async () => {
  const { made, lines } = host({ 'bin/vouch-sidecar': SERVER }, { setting: 'bin/vouch-sidecar' });
  assert.equal(await discover(made), undefined);
  assert.match(lines.join('\n'), /not an absolute path/);
});

test('the selected environment comes before the PATH, the PATH before the installed one', async () => {
  const files: Record<string, string> = {
    '/home/me/repo/.venv/bin/vouch-sidecar': SERVER,
    '/opt/bin/vouch-sidecar': SERVER,
    '/store/server/bin/vouch-sidecar': SERVER,
  };
  const interpreter = async () => '/home/me/repo/.venv/bin/python';
  assert.equal(
    (await discover(host(files, { interpreter }).made))?.command,
    '/home/me/repo/.venv/bin/vouch-sidecar',
  );
  assert.equal((await discover(host(files).made))?.command, '/opt/bin/vouch-sidecar');
  delete files['/opt/bin/vouch-sidecar'];
  assert.equal((await discover(host(files).made))?.command, '/store/server/bin/vouch-sidecar');
});

test('of what was installed, the server that the extension carries comes before an older one', async () => {
  const files: Record<string, string> = { '/store/new/vouch': SERVER, '/store/old/vouch': SERVER };
  const installed = async () => Object.keys(files);
  assert.equal((await discover(host(files, { installed }).made))?.command, '/store/new/vouch');
  delete files['/store/new/vouch'];
  assert.equal((await discover(host(files, { installed }).made))?.command, '/store/old/vouch');
});

test('without trust neither the environment nor a PATH inside the workspace is run', async () => {
  const inside = '/home/me/repo/.venv/bin/vouch-sidecar';
  const { made, tried } = host(
    { [inside]: SERVER, '/home/me/repo/bin/vouch-sidecar': SERVER },
    {
      untrusted: ['/home/me/repo'],
      path: '/home/me/repo/bin',
      interpreter: async () => '/home/me/repo/.venv/bin/python',
    },
  );
  assert.equal(await discover(made), undefined);
  assert.deepEqual(tried, []);
});

test('without trust a link that leads into the workspace is not run', async () => {
  const { made, tried } = host(
    { '/usr/bin/vouch-sidecar': SERVER },
    { untrusted: ['/home/me/repo'], executable: async () => '/home/me/repo/evil' },
  );
  assert.equal(await discover(made), undefined);
  assert.deepEqual(tried, []);
});

test('relative entries of the PATH are never looked into', async () => {
  const { made, tried } = host({ 'vouch-sidecar': SERVER, 'bin/vouch-sidecar': SERVER });
  assert.equal(await discover({ ...made, path: '.:bin:' }), undefined);
  assert.deepEqual(tried, []);
});

test('a program that is silent or broken is passed over', async () => {
  const files = {
    '/opt/bin/vouch-sidecar': 'hello',
    '/store/server/bin/vouch-sidecar': SERVER,
  };
  const { made, lines } = host(files);
  assert.equal((await discover(made))?.command, '/store/server/bin/vouch-sidecar');
  assert.match(lines.join('\n'), /does not say its version/);
  const broken = host(files, { version: () => Promise.reject(new Error('no loader')) });
  assert.equal(await discover(broken.made), undefined);
  assert.match(broken.lines.join('\n'), /can't be run: no loader/);
});
