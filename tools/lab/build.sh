#!/usr/bin/env bash
# build.sh: makes the parts of a guest available, a User-Mode Linux kernel and a root filesystem, and prints their directory as the
# last line. Downloads Debian packages and unpacks them: needs no root, and installs nothing on this machine.
set -euo pipefail

# What the tests use, what the guest itself needs, a small compiler for what the guest's kernel lacks, and libatomic1, which Node.js needs.
PACKAGES="user-mode-linux tcc bash coreutils sed grep util-linux mount kmod udev systemd iproute2 procps findutils libatomic1
  dmsetup lvm2 thin-provisioning-tools cryptsetup-bin mdadm fdisk e2fsprogs xfsprogs btrfs-progs"
say() { echo "lab: $*" >&2; }

cd "$(dirname "$(readlink -f "$0")")"
recipe=$(cat build.sh whole-registers.c /etc/os-release | sha256sum | cut -c1-12)
out=${XDG_CACHE_HOME:-~/.cache}/holdfast/lab/$recipe
end_if_built() {
  [ -e "$out/linux" ] || return 0
  echo "$out"
  exit
}
end_if_built # before anything is written: the cache may be somebody else's
mkdir -p "$out"
exec 9>"$out/.lock"
flock -n 9 || { say "another build is under way, waiting for it"; flock 9; }
end_if_built

started=$SECONDS
say "building the guest in $out (once; well under a minute)"
rm -rf "$out/apt" "$out/root"
mkdir -p "$out"/apt/{state/lists/partial,cache/archives/partial} "$out/root"
: >"$out/apt/status" # as on a machine without any package: all that they need is fetched as well
# What the machine's own configuration runs after downloads is for its own packages.
cat >"$out/apt/conf" <<CONF
Dir::State "$out/apt/state";
Dir::Cache "$out/apt/cache";
Dir::State::status "$out/apt/status";
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
CONF
apt() { apt-get -qq -y -c "$out/apt/conf" "$@" >&2; }
apt update
apt install --download-only $PACKAGES
say "unpacking $(ls "$out"/apt/cache/archives/*.deb | wc -l) packages ($((SECONDS - started)) s so far)"
for package in "$out"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$out/root"; done
rm -rf "$out/apt"
"$out/root/usr/bin/tcc" -B "$out/root/usr/lib/x86_64-linux-gnu/tcc" -shared -nostdlib -o "$out/whole-registers.so" whole-registers.c

cd "$out/root"
rm -rf usr/share/{doc,man,locale,info,perl,perl5} usr/lib/python3* usr/lib/x86_64-linux-gnu/perl*
# Debian expects one directory of each kind, and leaves it to the installer to join them.
for directory in bin sbin lib lib64; do
  [ ! -d $directory ] || [ -L $directory ] || { mkdir -p usr/$directory; cp -a $directory/. usr/$directory/; rm -rf $directory; }
  ln -sfn usr/$directory $directory
done
mv usr/lib/uml/modules usr/lib/modules
ln -sfn bash usr/bin/sh
echo 'root:x:0:0:root:/root:/bin/bash' >etc/passwd
echo 'root:x:0:' >etc/group
ln -sfn /proc/self/mounts etc/mtab
# No daemon that watches volumes, and no megabytes of locked memory for each activation: the guest is small.
printf 'activation {\n monitoring=0\n reserved_memory=64\n reserved_stack=16\n}\n' >etc/lvm/lvmlocal.conf
mkdir -p lab mnt
# Only finds the directory of this boot, where the rest is.
cat >init <<'INIT'
#!/bin/bash
mount -t proc proc /proc
mount -t hostfs none /lab -o "$(sed -n 's/.* lab=\([^ ]*\).*/\1/p' /proc/cmdline)"
exec /bin/bash /lab/init
INIT
chmod +x init
mv usr/bin/linux.uml ../linux # at last: it says that all is there
say "done in $((SECONDS - started)) s"
echo "$out"
