#!/usr/bin/env bash
# lab-tier.sh: runs the tests that need a kernel of their own: those of test/lab inside a guest, then those of test/lab/power, which
# turn guests on and off, and those of test/lab/node, where a guest is a node of a cluster. Where they cannot run it says why; in CI
# that is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH

cannot_run() {
  echo "The lab tests did not run: $1" >&2
  if [ -n "${CI:-}" ]; then
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "0 passed, 0 failed"
  exit 0
}

[ "$(uname -sm)" = "Linux x86_64" ] || cannot_run "User-Mode Linux is for Linux on x86_64, and this is $(uname -sm)."
for program in apt-get dpkg-deb; do
  command -v $program >/dev/null || cannot_run "the guest is made of Debian packages, and $program is missing here."
done
tools/lab/build.sh >/dev/null || cannot_run "the guest could not be built (see above)."
LAB_TIMEOUT=120 tools/lab/boot.sh true || cannot_run "the guest does not start here (see above)."

# The others take long: `make campaign` runs all of them.
nodes=(lab-node.test.ts devices-recycling.test.ts lvm-story.test.ts)

output=$(mktemp)
trap 'rm -f "$output"' EXIT
counts=()
failed=0
# Without a count, because the guest stopped, it counts as one failure.
part() {
  "$@" | tee "$output" || failed=1
  counts+=("$(tail -n 1 "$output" | grep -E '^[0-9]+ passed, [0-9]+ failed' || echo "0 passed, 1 failed")")
}
part tools/lab/boot.sh vitest run --project lab --reporter=verbose --reporter=./tools/tier-reporter.ts
part vitest run --project power --reporter=verbose --reporter=./tools/tier-reporter.ts
part vitest run --project lab-node "${nodes[@]/#/test/lab/node/}" --reporter=verbose --reporter=./tools/tier-reporter.ts

printf '%s\n' "${counts[@]}" | awk '{ passed += $1; failed += $3; skipped += $5 }
  END { printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : "" }'
exit $failed
