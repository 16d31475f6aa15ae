#!/usr/bin/env bash
# node-tier.sh: runs the tests with a real node: containerd and kubelet run the images that `make image` has built, from the chart. All of it
# is in namespaces of its own, without a way out of the machine, but for its processes: the agent of devices wipes nothing where it cannot see
# all that may use a disk. Where they cannot run it says why; in CI that is a failure. Arguments are handed on to vitest.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH:/usr/sbin:/sbin

cannot_run() {
  echo "The tests with a node did not run: $1" >&2
  if [ -n "${CI:-}" ]; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "0 passed, 0 failed"
  exit 0
}

[ "$(uname)" = Linux ] || cannot_run "they need Linux, and this is $(uname)."
[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || cannot_run "they have to see all processes of the machine, and here only some are seen."
[ "$(id -u)" = 0 ] || cannot_run "they start containers, which only root may. Run: sudo make e2e"
for program in apt-get dpkg-deb unshare losetup; do
  command -v $program >/dev/null || cannot_run "$program is missing here."
done
for archive in cluster node; do
  [ -e "dist/image/holdfast-$archive.tar" ] || cannot_run "there is no dist/image/holdfast-$archive.tar. Run: make image"
done
others=$(losetup --noheadings --output NAME | xargs)
[ -z "$others" ] || cannot_run "there are other loop devices ($others), and the agents of the node, which cannot see what is behind these, would wipe no disk. Detach them (losetup -d), or wait until who has them is done."
files=$(node tools/node/build.ts | tail -n 1) || cannot_run "the packages of the node could not be fetched (see above)."
unshare --net --mount true || cannot_run "no namespaces can be made here (in a container: run it with --privileged)."

# Everything that is not of a namespace has a name by which it is found and taken away here, however the tests end.
work=$PWD/dist/e2e-$$
# What is behind the disks is where the agents of the node see it as well, which have the /dev of the machine.
disks=/dev/holdfast-e2e-$$
group=holdfast-e2e-$$
tests=
made_here=$([ -e /dev/disk ] || echo /dev/disk) # where the node has a directory of its own
mkdir -p "$work" "$disks" $made_here
# Nothing of another run is among it, whose number may begin with ours.
in_groups() { find /sys/fs/cgroup -path "*/$group/*" -name cgroup.procs -exec cat {} + 2>/dev/null | sort -u; }
# What cannot be taken away any more does not change how the tests have ended.
clean_up() {
  set +e
  kill $tests 2>/dev/null
  in_groups | xargs --no-run-if-empty kill -KILL 2>/dev/null
  losetup --noheadings --output NAME,BACK-FILE | while read -r device file; do
    case $file in "$disks"/*) losetup --detach "$device" ;; esac
  done
  for _ in {1..50}; do
    find /sys/fs/cgroup -maxdepth 2 -name "$group" -exec find {} -depth -type d -delete \; 2>/dev/null
    [ -n "$(find /sys/fs/cgroup -maxdepth 2 -name "$group")" ] || break
    sleep 0.2
  done
  rm -rf --one-file-system "$work"
  rmdir "$disks" $made_here
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# 10.96.0.1 is where pods look for the API server, and the node has an address that is not of the loopback. Each test is a step of a
# story: after the first that fails there is nothing to be learned from the others.
# Who has to fetch something enters the network of this process.
export NODE_FILES=$files NODE_OUTSIDE=$$ NODE_GROUP=$group NODE_STATE=$work TMPDIR=$disks ARGUMENTS="$*"
unshare --net --mount --propagation private bash -euc '
  ip() { chroot "$NODE_FILES/root" /usr/sbin/ip "$@"; }
  ip link set lo up
  ip address add 10.96.0.1/32 dev lo
  ip link add machine type bridge
  ip address add 10.77.0.1/24 dev machine
  ip link set machine up
  mount -t tmpfs tmpfs "$TMPDIR"
  exec vitest run --project e2e --bail=1 $ARGUMENTS
' &
tests=$!
wait $tests
