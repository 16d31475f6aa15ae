#!/usr/bin/env bash
# build.sh: makes the Azure Blob server of this directory's package-lock.json, Azurite, available and prints its directory as the last
# line. Does nothing when it is cached. It is no dependency of the package itself: its 374 packages would come with every set-up, and one
# of them would hold back one of the program's.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
say() { echo "azurite: $*" >&2; }

# The recipe is kept with the program: that of another lockfile is never taken for this.
recipe=$(cat package.json package-lock.json build.sh | sha256sum | cut -c1-8)
out=${XDG_CACHE_HOME:-~/.cache}/holdfast/azurite/$recipe
[ ! -e "$out/done" ] || { echo "$out"; exit; }

command -v npm >/dev/null || { say "it comes by npm, and there is none here: install Node.js 20 or newer (https://nodejs.org)"; exit 1; }
mkdir -p "$out"
exec 9>"$out/.lock" # two at once would remove each other's files
flock -n 9 || { say "another one is under way, waiting for it"; flock 9; }
[ ! -e "$out/done" ] || { echo "$out"; exit; }

say "installing Azurite into $out (once; about a minute, 170 MB)"
cp package.json package-lock.json "$out"
npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
touch "$out/done"
echo "$out"
