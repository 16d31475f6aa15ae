#!/usr/bin/env bash
# side-by-side.sh TITLE COMMAND [TITLE COMMAND]...: runs the commands at the same time, and shows what each said under its title, one after
# another. Fails when one of them does, after all have ended: whoever mends things sees all that is wrong.
set -euo pipefail

said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
trap 'kill "${running[@]}" 2>/dev/null || true; exit 130' INT TERM

titles=() running=()
while [ $# -gt 0 ]; do
  titles+=("$1")
  bash -euo pipefail -c "$2" >"$said/${#running[@]}" 2>&1 </dev/null &
  running+=($!)
  shift 2
done

failed=0
for i in "${!running[@]}"; do
  code=0
  wait "${running[$i]}" || code=$?
  printf '\033[1m%s\033[0m\n' "${titles[$i]}" >&2
  cat "$said/$i"
  if [ "$code" != 0 ]; then
    echo "${titles[$i]}: failed with $code" >&2
    failed=1
  fi
done
exit $failed
