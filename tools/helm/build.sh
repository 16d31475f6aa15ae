#!/usr/bin/env bash
# build.sh: makes the helm of this directory's go.mod available and prints its path as the last line.
# Does nothing when it is cached.
source "$(dirname "$(readlink -f "$0")")/../go-build.sh"

result() { echo "$out/helm"; }

h=helm.sh/helm/v3
unless_built $h helm
need_go "helm $version"
begin "$version" "3 minutes"
# As its own build does: helm takes a chart to be for the Kubernetes of its client library where it is told of no cluster.
minor=$(awk '$1 == "k8s.io/client-go" { split($2, parts, "."); print parts[2]; exit }' go.mod)
kubernetes=$(for package in pkg/lint/rules pkg/chartutil; do
  printf ' -X %s.k8sVersionMajor=1 -X %s.k8sVersionMinor=%s' "$h/$package" "$h/$package" "$minor"
done)
compile -ldflags "-s -w -X $h/internal/version.version=$version$kubernetes" $h/cmd/helm
finish
