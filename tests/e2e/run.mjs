// Runs the scenarios, two at a time; the last line says "N passed, N failed". One that fails is run once
// more by itself, and its second run counts: a workbench that is short of time loses clicks and letters.
// Usage: node run.mjs [part of a scenario's file name …], or node run.mjs pictures
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, PROJECT, Workbench } from './workbench.mjs';

const VSIX = process.env.VSIX ?? path.join(PROJECT, 'dist/vouch-sidecar.vsix');
const ARTIFACTS = path.join(PROJECT, 'artifacts/e2e');
const arePictures = process.argv[2] === 'pictures';
const SCENARIOS = path.join(PROJECT, 'tests/e2e', arePictures ? 'pictures' : 'scenarios');
const LIMIT_MS = 240_000;

const wanted = arePictures ? [] : process.argv.slice(2);
// Their numbers put the longest first, so that no workbench is left alone at the end.
const names = fs
  .readdirSync(SCENARIOS)
  .filter((name) => name.endsWith('.mjs') && (!wanted.length || wanted.some((part) => name.includes(part))))
  .sort();

if (!fs.existsSync(VSIX)) throw new Error(`${VSIX} is not there: make it first (npm run package).`);
fs.mkdirSync(ARTIFACTS, { recursive: true });
/** By scenario, how many tests passed, and the titles of those that failed. */
const outcomes = new Map();

// A workbench mostly waits, so two of them keep two processors busy. The second one starts when the first
// scenario is done with what it measures.
const extensions = install(VSIX);
let measured;
const quiet = new Promise((resolve) => {
  measured = resolve;
});
const waiting = [...names];
const next = async () => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await perform(name);
};
await Promise.all([next(), quiet.then(next)]);
for (const [name, { failures }] of [...outcomes].filter(([, { failures }]) => failures.length > 0)) {
  for (const failure of failures) console.log(`run again: ${failure}`);
  await perform(name);
}

const failures = [...outcomes.values()].flatMap((outcome) => outcome.failures);
const passed = [...outcomes.values()].reduce((sum, outcome) => sum + outcome.passed, 0);
fs.rmSync(extensions, { recursive: true });
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 || passed === 0 ? 1 : 0);

async function perform(name) {
  const scenario = path.basename(name, '.mjs');
  const { options, run, faults } = await import(pathToFileURL(path.join(SCENARIOS, name)).href);
  for (const old of fs.readdirSync(ARTIFACTS)) {
    if (old.startsWith(`${scenario}-`)) fs.rmSync(path.join(ARTIFACTS, old));
  }
  const outcome = { passed: 0, failures: [] };
  outcomes.set(name, outcome);
  let workbench;
  let ran = 0;
  const picture = async (title) => {
    const file = `${scenario}-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60)}.png`;
    await workbench?.picture(path.join(ARTIFACTS, file)).catch(() => undefined);
  };
  const test = async (title, body) => {
    const start = performance.now();
    ran += 1;
    try {
      const said = await limited(body(), title);
      outcome.passed += 1;
      console.log(`ok      ${scenario}: ${title} (${said ?? `${Math.round(performance.now() - start)} ms`})`);
    } catch (error) {
      outcome.failures.push(`${scenario}: ${title}`);
      console.log(`FAILED  ${scenario}: ${title}\n        ${String(error?.stack ?? error).replaceAll('\n', '\n        ')}`);
      await picture(`failed ${title}`);
      // Without its start the rest of a scenario says nothing.
      if (ran === 1) throw new Error('its first step failed');
    }
  };
  try {
    workbench = await Workbench.launch({ extensions, ...(typeof options === 'function' ? options() : options) });
    await workbench.open();
    await run({ w: workbench, test, measured, artifacts: ARTIFACTS });
    await test('nothing is asked of another machine', async () => {
      if (workbench.outside.size > 0) throw new Error([...workbench.outside].join(', '));
    });
    await test('the log holds no fault', async () => {
      const log = workbench.log();
      if (!log.some((line) => line.startsWith('[info] '))) throw new Error('Nothing is logged.');
      const bad = log.filter((line) => /^\[(warning|error|critical)\]/.test(line) && !faults?.test(line));
      if (bad.length > 0) throw new Error(bad.join('\n'));
    });
  } catch (error) {
    outcome.failures.push(scenario);
    console.log(`FAILED  ${scenario}\n        ${String(error?.stack ?? error).replaceAll('\n', '\n        ')}`);
    await picture('failed');
  } finally {
    measured(); // also where it measures nothing, or failed before
    await workbench?.close();
  }
}

function limited(promise, title) {
  const over = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${title}: not done within ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
  });
  return Promise.race([promise, over]);
}
