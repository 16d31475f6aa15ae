#!/usr/bin/env bash
# build.sh: makes the helm of this directory's go.mod available and prints its path as the last line.
# Does nothing when it is cached.
set -euo pipefail

say() { echo "helm: $*" >&2; }

cd "$(dirname "$(readlink -f "$0")")"
version=$(awk '$1 == "helm.sh/helm/v3" { print $2; exit }' go.mod)
# The recipe is kept with the program: that of another go.mod is never taken for this.
recipe=$(cat go.mod go.sum build.sh | sha256sum | cut -c1-8)
out=${XDG_CACHE_HOME:-~/.cache}/holdfast/helm/$version
end_if_built() {
  [ "$(cat "$out/recipe" 2>/dev/null)" = "$recipe" ] && [ -x "$out/helm" ] || return 0
  echo "$out/helm"
  exit
}
end_if_built # before anything is written: the cache may be somebody else's
mkdir -p "$out"
exec 9>"$out/.lock" # two builds at once would only slow each other down
flock -n 9 || { say "another build is under way, waiting for it"; flock 9; }
end_if_built

wanted=$(awk '$1 == "go" { print $2 }' go.mod)
command -v go >/dev/null || {
  say "building helm $version needs Go $wanted or newer, and there is no go command here. Install it: https://go.dev/doc/install"
  exit 1
}
# From 1.21 on Go fetches the version that go.mod wants; an older one does not even understand the file.
found=$(cd / && go env GOVERSION)
[ "$(printf '%s\n' 1.21 "${found#go}" | sort -V | head -n 1)" = 1.21 ] || {
  say "building helm $version needs Go $wanted or newer, and this is $found. Install a newer one: https://go.dev/doc/install"
  exit 1
}

started=$SECONDS
say "building $version into $out (once; about 3 minutes on 2 cores)"
# As its own build does: helm takes a chart to be for the Kubernetes of its client library where it is told of no cluster.
minor=$(awk '$1 == "k8s.io/client-go" { split($2, parts, "."); print parts[2]; exit }' go.mod)
h=helm.sh/helm/v3
kubernetes=$(for package in pkg/lint/rules pkg/chartutil; do
  printf ' -X %s.k8sVersionMajor=1 -X %s.k8sVersionMinor=%s' "$h/$package" "$h/$package" "$minor"
done)
CGO_ENABLED=0 go build -mod=readonly -buildvcs=false -trimpath -gcflags=all=-dwarf=false -o "$out/helm.new" \
  -ldflags "-s -w -X $h/internal/version.version=$version$kubernetes" $h/cmd/helm
mv "$out/helm.new" "$out/helm"
echo "$recipe" >"$out/recipe"
say "done in $((SECONDS - started)) s"
echo "$out/helm"
