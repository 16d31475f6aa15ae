#!/usr/bin/env bash
# init.sh: the first process of a node, in namespaces of its own (see tools/node-tier.sh and test/e2e/node.ts). Makes the root filesystem that
# tools/node/build.ts unpacked its root, and starts containerd and kubelet there. Ends when one of them does.
#   NODE_NAME   the name of the node
#   FILES       the directory of tools/node/build.ts
#   STATE       an empty directory for all that the node writes, and node/ in it for its configuration
#   BINARIES    the directory of kubelet
set -euo pipefail

hostname "$NODE_NAME"
root=$STATE/root
mkdir -p "$root" "$STATE"/{upper,work,containerd,kubelet,log}
mount -t overlay overlay -o "lowerdir=$FILES/root,upperdir=$STATE/upper,workdir=$STATE/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
# Which disks the node has is up to the test: a directory of links, as udev makes one.
mount -t tmpfs tmpfs "$root/dev/disk"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/tmp"
# Not below the overlay, which cannot carry those of containers.
mount --bind "$STATE/containerd" "$root/var/lib/containerd"
mount --bind "$STATE/kubelet" "$root/var/lib/kubelet"
mount --bind "$STATE/log" "$root/var/log"
mount --bind "$STATE/node" "$root/node"
mount --bind "$BINARIES" "$root/opt/bin"

# The groups of this node only: its namespace is rooted in the group that it was started in.
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  . "$(dirname "$0")/leaf-group.sh" "$root/sys/fs/cgroup"
else
  mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
  for directory in /sys/fs/cgroup/*/; do
    name=$(basename "$directory")
    mkdir "$root/sys/fs/cgroup/$name"
    case $name in
      unified) mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/$name" ;;
      systemd) mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/$name" ;;
      *) mount -t cgroup -o "$name" cgroup "$root/sys/fs/cgroup/$name" ;;
    esac
  done
fi

# kubelet writes these settings of the kernel. It gets files of its own instead of the machine's.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 kernel/keys/root_maxkeys=1000000 \
  kernel/keys/root_maxbytes=25000000; do
  file=$STATE/sysctl/${setting%=*}
  mkdir -p "${file%/*}"
  echo "${setting#*=}" >"$file"
  [ ! -e "$root/proc/sys/${setting%=*}" ] || mount --bind "$file" "$root/proc/sys/${setting%=*}"
done

mkdir -p "$root/old"
cd "$root"
pivot_root . old
exec /usr/bin/busybox env -i PATH=/opt/bin:/usr/sbin:/usr/bin:/usr/lib/busybox NODE_NAME="$NODE_NAME" \
  /usr/bin/busybox sh /node/start.sh
