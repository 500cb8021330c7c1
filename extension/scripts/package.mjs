// Makes the .vsix, byte for byte the same from the same sources: the bundle, the server's wheel, the
// example, the changelog.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const PROJECT = path.join(ROOT, '..');
const OUT = path.join(PROJECT, 'dist/vouch-sidecar.vsix');
const MOST_BYTES = 1_500_000;
const VENV = path.join(PROJECT, '.venv/bin/python');
const PYTHON = process.env.PYTHON ?? (existsSync(VENV) ? VENV : 'python3');

// The zip format knows no time before 1980; this one is arbitrary and always the same.
const env = { ...process.env, SOURCE_DATE_EPOCH: '1577836800', npm_config_loglevel: 'error' };
const run = (command, args) =>
  execFileSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });

for (const made of ['server', 'example']) {
  rmSync(path.join(ROOT, made), { recursive: true, force: true });
}
cpSync(path.join(PROJECT, 'examples/courier'), path.join(ROOT, 'example'), { recursive: true });
copyFileSync(path.join(PROJECT, 'CHANGELOG.md'), path.join(ROOT, 'CHANGELOG.md'));
mkdirSync(path.dirname(OUT), { recursive: true });
run(process.execPath, ['scripts/build.mjs']);
run(PYTHON, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', 'server', PROJECT]);
const vsce = path.join(ROOT, 'node_modules/@vscode/vsce/vsce');
// package.json names no repository before there is one, so links can't be made absolute.
const options = [
  '--no-dependencies',
  '--allow-missing-repository',
  '--no-rewrite-relative-links',
  '--skip-license',
];
run(process.execPath, [vsce, 'package', ...options, '--out', OUT]);

const { size } = statSync(OUT);
const digest = createHash('sha256').update(readFileSync(OUT)).digest('hex');
console.log(`${path.relative(PROJECT, OUT)}  ${size} bytes  sha256 ${digest}`);
if (size > MOST_BYTES) throw new Error(`The .vsix is larger than ${MOST_BYTES} bytes.`);
