# start.sh: the second half of a node's first process, within its own root filesystem; run by init.sh.
set -eu
umount -l /old
mount --make-rshared /
mkdir -p /run/lock /etc/cni/net.d
printf '127.0.0.1 localhost\n' >/etc/hosts
: >/etc/resolv.conf
cp /node/pods.conflist /etc/cni/net.d/10-pods.conflist

containerd --config /node/containerd.toml >/var/log/containerd.log 2>&1 &
containerd=$!
until ctr version >/dev/null 2>&1; do
  kill -0 $containerd || exit 1
  sleep 0.1
done
for archive in /node/images/*.tar; do ctr --namespace k8s.io images import "$archive"; done

kubelet --config=/node/kubelet.json --kubeconfig=/node/kubeconfig --hostname-override="$NODE_NAME" \
  --node-ip="$(cat /node/address)" --node-labels="$(cat /node/labels)" >/var/log/kubelet.log 2>&1 &
kubelet=$!
# A dead containerd or kubelet ends the node.
while kill -0 $containerd 2>/dev/null && kill -0 $kubelet 2>/dev/null; do sleep 1; done
exit 1
