// Pictures of what the workbench shows, in each kind of theme.
import path from 'node:path';

export const THEMES = {
  dark: ['Dark Modern', 'vs-dark'],
  light: ['Light Modern', 'vs'],
  'high-contrast': ['Dark High Contrast', 'hc-black'],
};

export async function switchTo(w, name) {
  const [theme, css] = THEMES[name];
  await w.command('Preferences: Color Theme');
  await w.quickInputRow(theme);
  await w.page.locator(`.monaco-workbench.${css}`).waitFor();
}

/** Takes `picture-NAME-THEME.png` for every theme, each once `before` is done. */
export async function pictures(w, artifacts, name, before = async () => {}) {
  for (const theme of Object.keys(THEMES)) {
    await switchTo(w, theme);
    await w.page.mouse.move(900, 700);
    await before();
    await w.page.waitForTimeout(700);
    await w.picture(path.join(artifacts, `picture-${name}-${theme}.png`));
  }
}
