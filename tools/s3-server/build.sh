#!/usr/bin/env bash
# build.sh: makes the S3 server of this directory's go.mod, versitygw, available and prints its directory as the last line.
# Does nothing when it is cached.
source "$(dirname "$(readlink -f "$0")")/../go-build.sh"

s=github.com/versity/versitygw
unless_built $s versitygw
need_go "versitygw $version"
begin "$version" "2 minutes"
compile -ldflags "-s -w -X main.Version=$version" $s/cmd/versitygw
finish
