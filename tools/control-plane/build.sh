#!/usr/bin/env bash
# build.sh: makes the control plane of this directory's go.mod available and prints its directory as the last line.
# Does nothing when KUBEBUILDER_ASSETS is set or the binaries are cached.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

COMPONENTS="etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl"
say() { echo "control-plane: $*" >&2; }

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  [ -x "$KUBEBUILDER_ASSETS/kube-apiserver" ] || {
    say "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, but there is no kube-apiserver in it. Unset it, or point it at a directory with the binaries."
    exit 1
  }
  echo "$KUBEBUILDER_ASSETS"
  exit
fi

version=$(awk '$1 == "k8s.io/kubernetes" || $2 == "k8s.io/kubernetes" { print $NF; exit }' go.mod)
# The recipe is part of the name: binaries of another go.mod or main.go are never taken for these.
recipe=$(cat go.mod go.sum main.go build.sh | sha256sum | cut -c1-8)
out=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/control-plane/$version
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9 # two builds at once would only slow each other down
if [ "$(cat "$out/recipe" 2>/dev/null)" = "$recipe" ]; then
  echo "$out"
  exit
fi

command -v go >/dev/null || {
  say "building Kubernetes $version needs Go $(awk '$1 == "go" { print $2 }' go.mod) or newer, and there is no go command here."
  say "Install it (https://go.dev/doc/install), or set KUBEBUILDER_ASSETS to a directory that holds $COMPONENTS."
  exit 1
}

started=$SECONDS
say "building etcd and Kubernetes $version into $out (once; about 7 minutes on 2 cores)"
say "1/2 downloading the Go modules"
go mod download
say "2/2 compiling ($((SECONDS - started)) s so far)"

# Each package is reported as it is compiled: a long silent step looks like a hung one.
progress() {
  awk -v tty="$([ -t 2 ] && echo 1)" '
    /^[a-z0-9.-]+(\/|$)/ { n++; if (tty) printf "\rcontrol-plane: %d packages compiled  ", n > "/dev/stderr"
                           else if (n % 250 == 0) printf "control-plane: %d packages compiled\n", n > "/dev/stderr"; next }
    { print > "/dev/stderr" }
    END { if (tty) print "" > "/dev/stderr" }'
}
v=k8s.io/component-base/version
IFS=. read -r major minor _ <<<"${version#v}"
# Debug information would be stripped anyway: not making it saves a quarter of the compile.
CGO_ENABLED=0 go build -v -mod=readonly -trimpath -gcflags=all=-dwarf=false -o "$out/control-plane.new" \
  -ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=$major -X $v.gitMinor=$minor -X $v.gitTreeState=clean" . 2> >(progress)
mv "$out/control-plane.new" "$out/control-plane"
for component in $COMPONENTS; do ln -sf control-plane "$out/$component"; done
echo "$recipe" >"$out/recipe"
say "done in $((SECONDS - started)) s"
echo "$out"
