#!/usr/bin/env bash
# boot.sh [OPTION]... COMMAND ARGUMENT...: boots a guest, runs the command in it as root, in this checkout, and ends as the
# command did. The checkout is not changed by what is written to it. SIGTERM ends the guest at once, as if its power had been cut.
# LAB_TIMEOUT (seconds) and LAB_MEMORY are what it is given.
#   --disk FILE  one of its disks /dev/ubda, /dev/ubdb, …
#   --root FILE  the disk that keeps what is written to its root filesystem, for its next boot; otherwise that is in memory
#   --line FD    what is at the other end of its serial line, /dev/ttyS0: a descriptor that boot.sh has inherited, 5 or more
#   --systemd    process 1 is systemd, and the command one of its services
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
checkout=$(readlink -f "$here/../..")
timeout=${LAB_TIMEOUT:-1800}
memory=${LAB_MEMORY:-1536M}

lab=$("$here/build.sh")
# The only path that the kernel is told: it takes none with a space in it.
boot=$(mktemp -d /tmp/holdfast-lab.XXXXXX)
trap 'rm -rf "$boot"' EXIT
trap 'exit 143' INT TERM
ln -s "$lab/root" "$boot/root"
ln -s "$lab/whole-registers.so" "$boot"
cp "$here/init" "$here/run-command" "$boot"

devices=()
letters=abcdefghijklmno
# With a serial number: without, the kernel says of each that its number is "(null)".
disk() {
  ln -s "$(readlink -f "$2")" "$boot/disk-$1"
  devices+=("ubd$1=$boot/disk-$1,,lab-disk-$1")
}
while [[ ${1:-} = --* ]]; do
  case $1 in
    --disk) disk "${letters:0:1}" "$2" && letters=${letters:1} && shift ;;
    --root) disk p "$2" && shift ;;
    --line) devices+=("ssl0=fd:$2") && shift ;;
    --systemd) touch "$boot/systemd" ;;
    *) echo "boot.sh: there is no option $1" >&2 && exit 2 ;;
  esac
  shift
done

# The dependencies can be elsewhere, by a link.
printf '%s\n' "$checkout" >"$boot/directories"
modules=$(readlink -f "$checkout/node_modules")
[[ $modules = "$checkout"/* ]] || echo "$modules" >>"$boot/directories"
{
  [ -t 1 ] || echo 'export NO_COLOR=1'
  for name in CI FORCE_COLOR NO_COLOR; do [ -z "${!name:-}" ] || printf 'export %s=%q\n' $name "${!name}"; done
  printf 'export PATH=%q:$PATH\ncd %q\n' "$checkout/node_modules/.bin" "$checkout"
  printf '%q ' "$@"
} >"$boot/command"

# The memory of the guest is a file that is executed. One on a disk works, too, but is written to it.
memory_in=$boot
room=$(df --output=avail -B1M /dev/shm 2>/dev/null | tail -n 1) || true
if [ "${room:-0}" -gt 2048 ] && ! findmnt -n -o OPTIONS -T /dev/shm | grep -q noexec; then memory_in=/dev/shm; fi

# One processor, and always the same: moved about between two it was half as fast.
mapfile -t processors < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done)
processor=${processors[$(($$ % ${#processors[@]}))]}

# Process ids of its own, so that all of its processes end with the first one. That must not be the kernel itself: as process 1 it
# could not end itself when it panics. Whoever is not root is made root in a namespace, which gives no rights outside.
namespaces="--pid --fork --kill-child --mount-proc"
[ "$(id -u)" = 0 ] || namespaces="--user --map-root-user $namespaces"
dies_with_parent="setpriv --pdeathsig KILL"
exec 3>"$boot/console" 4>"$boot/power"
flock 4 # until the last process of the guest has ended
ended=0
TMPDIR=$memory_in $dies_with_parent timeout -s KILL "$timeout" $dies_with_parent taskset -c "$processor" \
  unshare $namespaces sh -c '"$@"; exit $?' sh \
  env LD_PRELOAD="$boot/whole-registers.so" "$lab/linux" mem=$memory umid=guest uml_dir="$boot/" root=none rootfstype=hostfs rootflags="$boot/root" ro init=/init lab="$boot" \
  quiet loglevel=5 panic=1 cryptomgr.notests con=null con0=null,fd:1 con1=null,fd:3 console=tty1 "${devices[@]}" </dev/null &
guest=$!
exec 4>&-
trap 'kill -KILL $guest 2>/dev/null || true; flock "$boot/power" rm -rf "$boot"' EXIT
{ wait $guest; } 2>/dev/null || ended=$?

[ ! -s "$boot/code" ] || exit "$(cat "$boot/code")"
[ $ended != 137 ] || why=" It was ended after $timeout s."
{ echo "The guest did not get to the end of its command.${why:-} The last lines of its console:"; tail -n 60 "$boot/console"; } >&2
exit 125
