// Bundles the extension into dist/.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The client checks the editor's version with it; package.json asks for a newer one than it needs. */
const withoutSemver = {
  name: 'without-semver',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^semver\// }, ({ path: file }) => ({ path: file, namespace: 'semver' }));
    onLoad({ filter: /.*/, namespace: 'semver' }, () => ({
      contents: 'module.exports = (version) => ({ version, prerelease: [] });',
    }));
  },
};

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
  plugins: [withoutSemver],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
