#!/usr/bin/env bash
# build.sh: makes the control plane of this directory's go.mod available and prints its directory as the last line.
# Does nothing when KUBEBUILDER_ASSETS is set or the binaries are cached.
source "$(dirname "$(readlink -f "$0")")/../go-build.sh"

COMPONENTS="etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl"

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  missing=$(for component in ${COMPONENTS/kubelet /}; do [ -x "$KUBEBUILDER_ASSETS/$component" ] || printf ' %s' "$component"; done)
  [ -z "$missing" ] || {
    say "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, and this is missing there:$missing. Unset it, or point it at a directory that holds all of them."
    exit 1
  }
  cd "$KUBEBUILDER_ASSETS" && pwd
  exit
fi

unless_built k8s.io/kubernetes control-plane main.go
need_go "Kubernetes $version" "set KUBEBUILDER_ASSETS to a directory that holds $COMPONENTS"
begin "etcd and Kubernetes $version" "7 minutes"
say "1/2 downloading the Go modules"
go mod download
say "2/2 compiling ($((SECONDS - started)) s so far)"
v=k8s.io/component-base/version
IFS=. read -r major minor _ <<<"${version#v}"
compile -ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=$major -X $v.gitMinor=$minor -X $v.gitTreeState=clean" .
for component in $COMPONENTS; do ln -sf control-plane "$out/$component"; done
finish
