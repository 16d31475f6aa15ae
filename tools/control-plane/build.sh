#!/usr/bin/env bash
# build.sh: makes the control plane of this directory's go.mod available and prints its directory as the last line.
# Does nothing when KUBEBUILDER_ASSETS is set or the binaries are cached.
set -euo pipefail

COMPONENTS="etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl"
say() { echo "control-plane: $*" >&2; }

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  missing=$(for component in ${COMPONENTS/kubelet /}; do [ -x "$KUBEBUILDER_ASSETS/$component" ] || printf ' %s' "$component"; done)
  [ -z "$missing" ] || {
    say "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, and this is missing there:$missing. Unset it, or point it at a directory that holds all of them."
    exit 1
  }
  cd "$KUBEBUILDER_ASSETS" && pwd
  exit
fi

cd "$(dirname "$(readlink -f "$0")")"
version=$(awk '$1 == "k8s.io/kubernetes" || $2 == "k8s.io/kubernetes" { print $NF; exit }' go.mod)
# The recipe is kept with the binaries: those of another go.mod or main.go are never taken for these.
recipe=$(cat go.mod go.sum main.go build.sh | sha256sum | cut -c1-8)
out=${XDG_CACHE_HOME:-~/.cache}/holdfast/control-plane/$version
end_if_built() {
  [ "$(cat "$out/recipe" 2>/dev/null)" = "$recipe" ] && [ -x "$out/control-plane" ] || return 0
  echo "$out"
  exit
}
end_if_built # before anything is written: the cache may be somebody else's
mkdir -p "$out"
exec 9>"$out/.lock" # two builds at once would only slow each other down
flock -n 9 || { say "another build is under way, waiting for it"; flock 9; }
end_if_built

wanted=$(awk '$1 == "go" { print $2 }' go.mod)
command -v go >/dev/null || {
  say "building Kubernetes $version needs Go $wanted or newer, and there is no go command here."
  say "Install it (https://go.dev/doc/install), or set KUBEBUILDER_ASSETS to a directory that holds $COMPONENTS."
  exit 1
}
# From 1.21 on Go fetches the version that go.mod wants; an older one does not even understand the file.
found=$(cd / && go env GOVERSION)
[ "$(printf '%s\n' 1.21 "${found#go}" | sort -V | head -n 1)" = 1.21 ] || {
  say "building Kubernetes $version needs Go $wanted or newer, and this is $found. Install a newer one (https://go.dev/doc/install)."
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
CGO_ENABLED=0 go build -v -mod=readonly -buildvcs=false -trimpath -gcflags=all=-dwarf=false -o "$out/control-plane.new" \
  -ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=$major -X $v.gitMinor=$minor -X $v.gitTreeState=clean" . 2> >(progress)
mv "$out/control-plane.new" "$out/control-plane"
for component in $COMPONENTS; do ln -sf control-plane "$out/$component"; done
echo "$recipe" >"$out/recipe"
say "done in $((SECONDS - started)) s"
echo "$out"
