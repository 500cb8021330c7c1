// Bundles the unit tests, which know nothing of VS Code, and runs them with Node's own runner.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const OUT = path.join(ROOT, 'out/test');

rmSync(OUT, { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: readdirSync(path.join(ROOT, 'test'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`),
  outdir: OUT,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
const files = readdirSync(OUT).map((name) => path.join(OUT, name));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...files], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
