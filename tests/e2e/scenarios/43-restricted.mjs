// A workspace without trust, and no server but one that it brings: trust first.
import { pictures } from '../pictures.mjs';
import { sidecars } from '../processes.mjs';
import { courier, withoutServer } from '../settings.mjs';

export const options = () => ({
  trust: false,
  userSettings: {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  },
  fill: courier,
  env: { PATH: withoutServer() },
});

export async function run({ w, test, artifacts }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('trust is offered before anything else', async () => {
    await w.panel();
    await sidebar.getByText('a server that lies in this workspace').waitFor();
    await sidebar.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    if (await sidebar.locator('.monaco-button', { hasText: 'Install Server' }).count()) throw new Error('Install is a button');
    if (sidecars(w).length > 0) throw new Error('A server was started.');
    await pictures(w, artifacts, 'restricted');
  });
}
