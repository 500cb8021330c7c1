// Bundles the extension into dist/.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

await build({
  absWorkingDir: ROOT,
  // The client is a file of its own: it is read only where there is a server to talk to.
  entryPoints: { extension: 'src/extension.ts', languageClient: 'src/server/languageClient.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode', './languageClient'],
  supported: { 'dynamic-import': false },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
