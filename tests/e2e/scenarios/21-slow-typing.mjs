// Somebody types slowly, and reads the panel meanwhile.
import assert from 'node:assert/strict';
import { courier, machineSettings, until } from '../settings.mjs';

const LETTER_MS = 400; // longer than a half-typed word waits to count

export const options = () => ({ machineSettings, fill: courier });

export async function run({ w, test }) {
  const { page } = w;
  const row = w.rows('In Play', 'Label Forge').and(page.locator('[aria-level="1"]')).first();

  await test('a name that is typed slowly does not come and go', async () => {
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\nLabel ', { delay: LETTER_MS });
    await w.settled(row);
    const { y } = await row.boundingBox();
    for (const letter of 'Forge prints all night') {
      await page.keyboard.type(letter);
      await page.waitForTimeout(LETTER_MS);
      assert.equal(await row.count(), 1, `gone at “${letter}”`);
      // For a frame VS Code draws it below rows that come in.
      await until(async () => (await row.boundingBox())?.y === y, `back where it was after “${letter}”`);
    }
  });

  await test('a row is unfolded, and its claim opened, while a word is half-typed', async () => {
    await page.keyboard.type('\nLabel F', { delay: LETTER_MS });
    await w.unfold(row);
    await w.row('In Play', '“Label').waitFor();
    const claim = w.rows('In Play').and(page.locator('[aria-level="2"]')).nth(1);
    await w.settled(claim);
    await claim.hover();
    await claim.getByRole('button', { name: 'Open Claim' }).click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
  });
}
