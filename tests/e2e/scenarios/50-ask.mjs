// Whom to ask: the hover in prose and in code, where its links lead, and how it looks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { switchTo, THEMES } from '../pictures.mjs';
import { courier, machineSettings } from '../settings.mjs';

const CODE = `class Relay {
  wait() {
    return 'Relay waits'; // Kafka keeps it
  }
}
const relay = new Relay();
relay.wait();
`;
const HOSTILE =
  '<img src=x onerror=alert(1)> ![a](https://x.test/y.png) [run](command:workbench.action.quit) **b** `c` https://x.test $(flame)';
const ENTITY = `id: evilgate
name: Evilgate
type: system
aliases: [${JSON.stringify('<b>Gate</b>')}]
description: ${JSON.stringify(HOSTILE)}
`;

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    fs.writeFileSync(path.join(folder, 'use.js'), CODE);
    fs.writeFileSync(path.join(folder, 'hostile.md'), 'Evilgate is near.\n');
    fs.writeFileSync(path.join(folder, '.vouch/entities/evilgate.yaml'), ENTITY);
  },
});

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const popup = page.locator('.monaco-hover:visible');

  await test('the line after the head says whom to ask', async () => {
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('runbook.md');
    const [head, ask, about, ...claims] = (await w.hover('Relay', 'live claim'))
      .split('\n')
      .filter((line) => line.trim());
    assert.match(head, /^Relay · system .* 17 live claims$/);
    assert.equal(
      ask,
      'Ask Tomasz Wróbel (1 claim), Inès Okafor (1) · owned by Dispatch team',
    );
    assert.match(about, /^The one way in for scans/);
    assert.equal(claims.filter((line) => /confidence/.test(line)).length, 2);
    assert.match(claims.at(-1), /^Entity: relay · Pages: /);
  });

  await test('a citation in a hover opens the document at its line', async () => {
    await w.hover('Relay', 'live claim');
    await popup.getByText('Incident report INC-118').first().click();
    await w.activeTab('INC-118.md');
    await page.locator('.statusbar-item', { hasText: 'Ln 14' }).waitFor();
    await w.openFile('runbook.md');
    await w.hover('Relay', 'live claim');
    await popup.getByText('Tomasz Wróbel').first().click();
    await w.activeTab('tomasz-wrobel.yaml');
  });

  await test('on an identifier of code a hover has two lines, after those of the language', async () => {
    await w.openFile('use.js');
    const said = await w.hover('Relay {', /class Relay[^]*Ask Tomasz/); // each comes when it is there
    assert.match(said, /class Relay/);
    assert.ok(said.indexOf('class Relay') < said.indexOf('Relay · system · Ask Tomasz'), said);
    assert.doesNotMatch(said, /live claim/);
    assert.equal(said.match(/confidence/g).length, 1);
  });

  await test('definition leaves code to its language, and serves comments', async () => {
    const goTo = async (word) => {
      await w.openFile('use.js');
      await w.pointAt(word);
      await page.mouse.down();
      await page.mouse.up();
      await page.keyboard.press('F12');
    };
    await goTo('new Relay');
    await page.locator('.statusbar-item', { hasText: 'Ln 1,' }).waitFor();
    assert.equal(await page.locator('.peekview-widget').count(), 0);
    await goTo('Kafka');
    await w.activeTab('kafka.yaml');
  });

  await test('a claim in the panel opens the document that it quotes', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nMay we restart Relay?');
    await w.expand('In Play', 'Relay');
    const claim = w.row('In Play', 'Never restart Relay');
    await w.settled(claim);
    await claim.click();
    await w.activeTab('INC-118.md');
  });

  await test('what a hostile file says is shown letter by letter', async () => {
    await w.openFile('hostile.md');
    const said = await w.hover('Evilgate', 'onerror');
    assert.ok(said.replaceAll('\u2060', '').includes(HOSTILE), said);
    assert.match(said, /also .?<b>Gate<\/b>/);
    assert.equal(await popup.locator('img, b, code, .codicon-flame').count(), 0);
    const links = popup.locator('.hover-contents a[data-href]');
    const targets = await links.evaluateAll((all) => all.map((one) => one.dataset.href));
    assert.ok(targets.length > 0);
    for (const target of targets) assert.match(target, /\/ws\/\.vouch\/entities\/evilgate\.yaml$/);
  });

  for (const name of Object.keys(THEMES)) {
    await test(`the hover in ${name}`, async () => {
      await w.openFile('runbook.md');
      await switchTo(w, name);
      await w.hover('Relay', 'Ask Tomasz');
      await page.waitForTimeout(500);
      await w.picture(path.join(artifacts, `50-ask-hover-${name}.png`));
    });
  }

  await test('the hover at 900×600 and at 200 %', async () => {
    await page.setViewportSize({ width: 900, height: 600 });
    await w.hover('Relay', 'Ask Tomasz');
    await w.picture(path.join(artifacts, '50-ask-hover-900x600.png'));
    await page.setViewportSize({ width: 640, height: 400 }); // 1280×800 at 200 %
    await page.waitForTimeout(500);
    await w.hover('Relay', 'Ask Tomasz');
    await w.picture(path.join(artifacts, '50-ask-hover-200-percent.png'));
  });
}
