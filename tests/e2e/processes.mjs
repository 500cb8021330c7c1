// The server processes of one workbench.
import fs from 'node:fs';

/** Process ids of the language servers that this workbench has started. */
export function sidecars(workbench) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => belongs(pid, workbench));
}

function belongs(pid, { run }) {
  try {
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (!command.some((part) => part.endsWith('vouch-sidecar')) || !command.includes('lsp')) return false;
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${run}/home`);
  } catch {
    return false;
  }
}
