// The view "Claim": a claim in full, at the caret or as selected; where its links lead; hostile texts.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { courier, machineSettings, until } from '../settings.mjs';

const THEMES = {
  dark: ['Dark Modern', 'vs-dark'],
  light: ['Light Modern', 'vs'],
  'high-contrast': ['Dark High Contrast', 'hc-black'],
};
const HOSTILE =
  '`UploadLoop` <img src=x onerror=alert(1)> <script>alert(1)</script> [run](command:workbench.action.quit) ' +
  '\u202egnp.exe\u2066 &lt;b&gt; javascript:alert(1) https://x.test';
const LONG = `\`retry_loop\` is long. ${'word '.repeat(39_000)}`;
const CODE = `import os


class UploadLoop:
    limit = 3


def retry_loop():
    """Tries again."""
    wait = 4

    return wait


${'x = 1\n'.repeat(20)}

def send_all():
    return 1


def drop_all():
    return 2
`;

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    const at = (name) => path.join(folder, name);
    fs.writeFileSync(at('src/upload.py'), CODE);
    const claim = fs.readFileSync(at('.vouch/claims/lag-pages.yaml'), 'utf8');
    const put = (id, text) =>
      fs.writeFileSync(
        at(`.vouch/claims/${id}.yaml`),
        claim
          .replace(/^id: .*/m, `id: ${id}`)
          .replace(/^text: (.|\n)*?(?=^type:)/m, `text: ${JSON.stringify(text)}\n`)
          .replace(/^entities:\n(- .*\n)+/m, 'entities: []\n'),
      );
    put('hostile', HOSTILE);
    put('long', LONG);
    put('send', '`send_all` waits for the disk.');
    put('drop', '`drop_all` keeps one copy of each.');
    put('too-long', `\`UploadLoop\` ${'x'.repeat(1_000_000)}`);
  },
});

export const faults = /too-long|skipped/;

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const claim = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
  const shows = (text) => claim.locator('p', { hasText: text }).waitFor();
  const line = (label) => claim.locator(`dt:has-text("${label}") + dd`).first();
  const dialogs = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const caretTo = async (number) => {
    await page.keyboard.press('Control+G');
    await page.locator('.quick-input-widget input').first().fill(`:${number}`);
    await page.keyboard.press('Enter');
    await page.locator('.part.statusbar', { hasText: `Ln ${number},` }).waitFor();
  };

  await test('it says what it is for', async () => {
    await page.setViewportSize({ width: 1280, height: 1300 });
    await w.panel();
    await shows('Select a claim');
  });

  await test('it follows the caret', async () => {
    await w.openFile('upload.py');
    await caretTo(5);
    await w.row('In This File', 'L4 · UploadLoop').filter({ hasText: 'at the caret' }).waitFor();
    await shows('onerror');
    await caretTo(7);
    await page.keyboard.press('ArrowDown');
    await shows('retry_loop is long');
    await w.row('In This File', 'L8 · retry_loop').filter({ hasText: 'at the caret' }).waitFor();
    await w.picture(path.join(artifacts, '62-claim-at-the-caret.png'));
  });

  await test('it follows the caret at once', async () => {
    const took = [];
    await caretTo(37);
    await shows('send_all waits');
    for (const [line, key] of Array(4).fill([[40, 'ArrowDown'], [39, 'ArrowUp']]).flat()) {
      await caretTo(line);
      await page.waitForTimeout(1_000);
      await claim.evaluate((body) => {
        window.drawn = 0;
        window.observer ??= new MutationObserver(() => (window.drawn ||= Date.now()));
        window.observer.observe(body, { childList: true });
      });
      const pressed = Date.now(); // on this machine, as in the page
      await page.keyboard.press(key);
      took.push((await until(() => claim.evaluate(() => window.drawn), 'the claim is drawn')) - pressed);
    }
    took.sort((a, b) => a - b);
    return `${took[4]} ms from key to claim, ${took.at(-1)} ms at most`;
  });

  await test('a row is read without opening anything, and goes to its line when it is clicked', async () => {
    await w.openFile('runbook.md');
    const row = w.row('In This File', 'L7');
    await w.settled(row);
    await row.click();
    await page.locator('.part.statusbar', { hasText: /Ln 7,/ }).waitFor();
    await w.activeTab('runbook.md');
    await shows('dead-letter queue');
    assert.equal(await claim.locator('dd:has-text("Runbook")').count(), 1);
    assert.match(await line('Approved by').innerText(), /reviewer/);
    assert.match(await line('Date').innerText(), /^20\d\d-\d\d-\d\d$/);
    assert.match(await line('Ask').innerText(), /claim/);
  });

  await test('its source is a link to the quoted line; the list stays', async () => {
    const listed = await w.rows('In This File').allInnerTexts();
    await line('File').locator('button').click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
    await page.waitForTimeout(600);
    assert.deepEqual(
      (await w.rows('In This File').allInnerTexts()).map((text) => text.replace(/at the caret.*/s, '')),
      listed.map((text) => text.replace(/at the caret.*/s, '')),
    );
    await w.picture(path.join(artifacts, '62-claim-beside-its-file.png'));
    await line('Source').locator('button').click();
    await w.activeTab('runbook.md');
  });

  await test('it keeps still while the pointer is in it', async () => {
    await w.openFile('upload.py');
    await caretTo(4);
    await shows('onerror');
    await claim.locator('p').hover();
    await page.waitForTimeout(200);
    await page.keyboard.press('Control+G');
    await page.locator('.quick-input-widget input').first().fill(':10');
    await page.keyboard.press('Enter');
    await w.row('In This File', 'retry_loop is long').filter({ hasText: 'at the caret' }).waitFor();
    await page.waitForTimeout(500);
    assert.match(await claim.locator('p').innerText(), /onerror/);
    await page.mouse.move(900, 300);
    await shows('retry_loop is long');
    assert.ok((await claim.locator('p').innerText()).length > 190_000);
  });

  await test('a hostile claim is plain text', async () => {
    await caretTo(4);
    await shows('onerror');
    const said = await claim.locator('p').innerText();
    assert.ok(said.includes('<img src=x onerror=alert(1)> <script>alert(1)</script> [run](command:'), said);
    assert.doesNotMatch(said, /[\u202a-\u202e\u2066-\u2069]/);
    assert.equal(await claim.locator('img, script, a, b, style, iframe').count(), 0);
    assert.equal(await claim.locator('p button').count(), 0);
    assert.equal(await claim.locator('code').innerText(), 'UploadLoop');
    assert.deepEqual(dialogs, []);
    const policy = await claim.locator('xpath=..').locator('meta[http-equiv]').getAttribute('content');
    assert.match(policy, /^default-src 'none'; script-src 'nonce-[^']+'; style-src 'nonce-[^']+'$/);
    assert.equal(
      await claim.evaluate(() => {
        const made = document.createElement('script');
        made.textContent = 'window.ran = true';
        document.body.append(made);
        made.remove();
        return window.ran ?? false;
      }),
      false,
    );
  });

  await test('a link that the page makes up opens nothing', async () => {
    await claim.evaluate(() => {
      for (const data of [
        { type: 'open', serial: 0, link: 'file:///etc/passwd' },
        { type: 'open', serial: 9_999, link: 0 },
        { type: 'show', serial: 1, content: '<b>no</b>' },
      ]) {
        window.parent.postMessage(data, '*');
        window.postMessage(data, '*');
      }
    });
    await page.waitForTimeout(500);
    await w.activeTab('upload.py');
    await shows('onerror');
  });

  for (const [name, [theme, css]] of Object.entries(THEMES)) {
    await test(`the claim in ${name}`, async () => {
      await w.openFile('runbook.md');
      await caretTo(7);
      await w.command('Preferences: Color Theme');
      await w.quickInputRow(theme);
      await page.locator(`.monaco-workbench.${css}`).waitFor();
      await shows('dead-letter queue');
      await page.waitForTimeout(500);
      await w.picture(path.join(artifacts, `62-claim-${name}.png`));
    });
  }

  await test('the claim at 200 % and in a side bar of 180 px', async () => {
    const { x, width, y } = await page.locator('.part.sidebar').boundingBox();
    await page.mouse.move(x + width + 1, y + 300);
    await page.mouse.down();
    await page.mouse.move(x + 181, y + 300, { steps: 5 });
    await page.mouse.up();
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '62-claim-180-px.png'));
    const fits = await claim.evaluate((body) => body.scrollWidth <= body.clientWidth + 1);
    assert.ok(fits, 'nothing is cut off');
    await page.setViewportSize({ width: 640, height: 400 }); // 1280×800 at 200 %
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '62-claim-200-percent.png'));
  });
}
