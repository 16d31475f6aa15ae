#!/usr/bin/env bash
# host-tier.sh: runs the tests that need real block devices, and installs the Debian packages that they use when some are missing.
# Where they cannot run it says why; in CI that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

PROGRAMS="losetup mkfs.ext4 mkswap swapon mount umount blkdiscard"
PACKAGES="mount util-linux e2fsprogs"

cannot_run() {
  echo "The host tests did not run: $1" >&2
  if [ -n "${CI:-}" ]; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "0 passed, 0 failed"
  exit 0
}

[ "$(uname)" = Linux ] || cannot_run "they need Linux, and this is $(uname)."
[ "$(id -u)" = 0 ] || cannot_run "they make loop devices, which only root may. Run: sudo make host"
[ -e /dev/loop-control ] || cannot_run "there is no /dev/loop-control, so no loop devices can be made here."

missing=$(for program in $PROGRAMS; do command -v "$program" >/dev/null || echo "$program"; done)
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || cannot_run "$(echo $missing | tr '\n' ' ') missing. Install the packages $PACKAGES."
  echo "Installing $PACKAGES for $(echo $missing)" >&2
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $PACKAGES >&2
fi
exec vitest run --project host
