#!/usr/bin/env bash
# host-tier.sh: runs the tests that need real block devices, and installs the Debian packages that they use when some are missing.
# Where they cannot run it says why; in CI that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
# Without a login shell root may not have the directories of its own programs.
PATH=$PWD/node_modules/.bin:$PATH:/usr/sbin:/sbin

PROGRAMS="losetup mkfs.ext4 mkfs.xfs mkfs.btrfs mkswap swapon mount umount blkid blkdiscard blockdev addpart delpart sfdisk unshare
  setpriv pvcreate cryptsetup"
PACKAGES="mount util-linux fdisk e2fsprogs xfsprogs btrfs-progs lvm2 cryptsetup-bin"

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

missing() { for program in $PROGRAMS; do command -v "$program" >/dev/null || printf '%s ' "$program"; done; }
if [ -n "$(missing)" ] && command -v apt-get >/dev/null; then
  echo "Installing $PACKAGES for $(missing)" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y $PACKAGES; } >&2 || true
fi
[ -z "$(missing)" ] || cannot_run "$(missing)missing. Install the packages $PACKAGES."
losetup --find >/dev/null || cannot_run "no loop device can be made here (in a container: run it with --privileged)."

exec vitest run --project host
