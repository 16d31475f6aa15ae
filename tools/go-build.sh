# go-build.sh: what the tools that Go builds from source have in common. Each of them is built once for a version and a recipe, into a
# directory of its own in the user's cache. The build.sh of a tool sources this, and calls, in this order:
#   unless_built MODULE PROGRAM [SOURCE…]  ends here when PROGRAM is there; else $version, $out and the lock are ours
#   need_go WHAT [OTHERWISE]               ends here, in a sentence, when Go is missing or too old
#   begin WHAT TIME                        says what is going to happen
#   compile ARGUMENT…                      makes $out/PROGRAM by `go build`
#   finish                                 lets it be taken for built, and prints the result
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
tool=${here##*/}
say() { echo "$tool: $*" >&2; }
# The last line that is printed. A tool may have another.
result() { echo "$out"; }

unless_built() {
  local module=$1
  program=$2
  cd "$here"
  version=$(awk -v module="$module" '{ sub(/^require /, "") } $1 == module { print $2; exit }' go.mod)
  # The recipe is kept with the program: that of another go.mod, or of other sources, is never taken for this.
  recipe=$(cat go.mod go.sum "${@:3}" build.sh ../go-build.sh | sha256sum | cut -c1-8)
  out=${XDG_CACHE_HOME:-~/.cache}/holdfast/$tool/$version
  end_if_built # before anything is written: the cache may be somebody else's
  mkdir -p "$out"
  exec 9>"$out/.lock" # two builds at once would only slow each other down
  flock -n 9 || { say "another build is under way, waiting for it"; flock 9; }
  end_if_built
}

end_if_built() {
  [ "$(cat "$out/recipe" 2>/dev/null)" = "$recipe" ] && [ -x "$out/$program" ] || return 0
  result
  exit
}

need_go() {
  local wanted found where=https://go.dev/doc/install
  wanted=$(awk '$1 == "go" { print $2 }' go.mod)
  command -v go >/dev/null || {
    say "building $1 needs Go $wanted or newer, and there is no go command here."
    say "Install it ($where)${2:+, or $2}."
    exit 1
  }
  # From 1.21 on Go fetches the version that go.mod wants; an older one does not even understand the file.
  found=$(cd / && go env GOVERSION)
  [ "$(printf '%s\n' 1.21 "${found#go}" | sort -V | head -n 1)" = 1.21 ] || {
    say "building $1 needs Go $wanted or newer, and this is $found. Install a newer one ($where)."
    exit 1
  }
}

begin() {
  started=$SECONDS
  say "building $1 into $out (once; about $2 on 2 cores)"
}

# Debug information would be stripped anyway: not making it saves a quarter of the compile.
compile() {
  CGO_ENABLED=0 go build -v -mod=readonly -buildvcs=false -trimpath -gcflags=all=-dwarf=false -o "$out/$program.new" "$@" 2> >(progress)
  mv "$out/$program.new" "$out/$program"
}

# Each package is reported as it is compiled: a long silent step looks like a hung one.
progress() {
  awk -v tool="$tool" -v tty="$([ -t 2 ] && echo 1)" '
    /^[A-Za-z0-9_.\/-]+$/ { n++; if (tty) printf "\r%s: %d packages compiled  ", tool, n > "/dev/stderr"
                            else if (n % 250 == 0) printf "%s: %d packages compiled\n", tool, n > "/dev/stderr"; next }
    { print > "/dev/stderr" }
    END { if (tty) print "" > "/dev/stderr" }'
}

finish() {
  echo "$recipe" >"$out/recipe"
  say "done in $((SECONDS - started)) s"
  result
}
