#!/usr/bin/env bash
# browser-tier.sh: runs the tests of the console's page in Chromium, and installs Debian's when there is none.
# Where they cannot run it says why; in CI that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH

PACKAGES="chromium fonts-inter"

cannot_run() {
  echo "The browser tests did not run: $1" >&2
  if [ -n "${CI:-}" ]; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "0 passed, 0 failed"
  exit 0
}

found() { command -v "${CHROMIUM:-chromium}" || true; }
if [ -z "$(found)" ] && [ -z "${CHROMIUM:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing $PACKAGES" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $PACKAGES; } >&2 || true
fi
[ -n "$(found)" ] || cannot_run "there is no Chromium. Install it (apt-get install $PACKAGES), or say where it is: CHROMIUM=/path make browser"

CHROMIUM=$(found) exec vitest run --project browser
