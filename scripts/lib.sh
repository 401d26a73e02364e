# What the scripts share. Sourced, never run: the caller has set -euo pipefail and stands in the repository's root.
# shellcheck shell=bash

# Starts a lane: a command that runs beside the others, as a job of its own so that it ends as a whole. What it prints comes
# as one piece, when its end is waited for; the caller has set logs to a folder for that, and stop_lanes as its trap of EXIT.
logs=
lanes=()
lane() {
  local name=$1
  shift
  set -m
  "$@" >"$logs/$name" 2>&1 </dev/null &
  set +m
  lanes+=("$!:$name")
}

# Waits for every lane and prints each; fails where one did, after all have ended.
end_lanes() {
  local one failed=0
  for one in "${lanes[@]}"; do
    wait "${one%%:*}" || failed=1
    step "${one#*:}"
    cat "$logs/${one#*:}"
  done
  lanes=()
  return "$failed"
}

# Ends the lanes that still run.
stop_lanes() {
  local one
  for one in ${lanes[@]+"${lanes[@]}"}; do kill -- "-${one%%:*}" 2>/dev/null || true; done
}

# Runs tests of the whole workspace, which has one set of features: one package alone would be built again, with others.
# The whole of it even where one test fails, so that one run tells everything.
rust_tests() {
  local log
  log=$(mktemp "$logs/.run.XXXXXX")
  cargo test --workspace --no-fail-fast "$@" 2>&1 | tee "$log" || once_more "$log" "$@"
}

# As in the browser: up to three tests that failed run once more, and what passes then is told as flaky. A program of tests
# that ended without a result of its own has failed.
once_more() {
  local log=$1 names=() binaries=() name
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do binaries+=("$1") && shift; done
  while read -r name; do names+=("$name"); done < <(sed -n 's/^test \([^ ]*\).* \.\.\. FAILED$/\1/p' "$log")
  if [ ${#names[@]} -eq 0 ] || [ ${#names[@]} -gt 3 ]; then return 1; fi
  [ "$(grep -c '^test result: FAILED' "$log")" = "$(grep -c '^error: test failed' "$log")" ] || return 1
  cargo test --workspace --no-fail-fast "${binaries[@]}" -- --exact --test-threads 1 "${names[@]}" >"$log.again" 2>&1 || {
    cat "$log.again"
    return 1
  }
  printf 'flaky: %s\n' "${names[@]}"
}

step() { printf '\n\033[1m==> %s\033[0m\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

on_mac() { [ "$(uname -s)" = Darwin ]; }

# Runs a command as root: as it is where we are root, with sudo where there is one.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "this needs root to install packages: run as root, or install sudo. Wanted: $*"; fi
}

# Installs those of the named Debian packages that are missing.
need_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  note "installing: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The XMPP server that the chat's tests start for themselves. Its package would also start one for the whole machine, and again
# whenever that boots: so it is unpacked into .cache, and only the libraries that it needs are installed.
bring_prosody() {
  if on_mac || command -v prosody >/dev/null || ! command -v apt-get >/dev/null; then return 0; fi
  local place depends
  place=$PWD/.cache/prosody
  if [ ! -x "$place/usr/bin/prosody" ]; then
    note "unpacking prosody into .cache (no server is installed)"
    apt-cache show prosody >/dev/null 2>&1 || as_root apt-get update -qq
    # What apt would install with it, virtual packages and all.
    mapfile -t depends < <(apt-get install -s -qq --no-install-recommends prosody | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -vx prosody)
    need_packages "${depends[@]}"
    rm -rf "$place" && mkdir -p "$place"
    (cd "$place" && apt-get -o APT::Sandbox::User=root download -qq prosody && dpkg-deb -x prosody_*.deb . && rm prosody_*.deb)
    sed -i "s|'/usr/lib/prosody|'$place/usr/lib/prosody|; s|'/etc/prosody|'$place/etc/prosody|" "$place/usr/bin/prosody"
  fi
  export PATH=$PATH:$place/usr/bin
}

# The broker that the fleet's tests start for themselves: unpacked beside the XMPP server, for the same reason.
bring_nats() {
  if on_mac || command -v nats-server >/dev/null || ! command -v apt-get >/dev/null; then return 0; fi
  local place=$PWD/.cache/nats
  if [ ! -x "$place/usr/sbin/nats-server" ]; then
    note "unpacking nats-server into .cache (no server is installed)"
    apt-cache show nats-server >/dev/null 2>&1 || as_root apt-get update -qq
    rm -rf "$place" && mkdir -p "$place"
    (cd "$place" && apt-get -o APT::Sandbox::User=root download -qq nats-server && dpkg-deb -x nats-server_*.deb . && rm nats-server_*.deb)
  fi
  export PATH=$PATH:$place/usr/sbin
}

# Codex, whose matcher is a rival of ours. It is large: it is installed where POSTERN_CODEX=1 says so, and used where it is.
bring_codex() {
  local place=$PWD/.cache/codex found
  if [ ! -d "$place/node_modules/@openai/codex" ]; then
    [ -n "${POSTERN_CODEX:-}" ] || return 0
    note "installing Codex into .cache"
    npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --prefix "$place" @openai/codex@0.171.0
  fi
  # The program itself: what npm would link is a script that starts it.
  found=$(find "$place/node_modules/@openai" -path '*/bin/codex' -type f -perm -u+x -print -quit)
  [ -z "$found" ] || PATH=$(dirname "$found"):$PATH
  export PATH
}

# Installs a program from crates.io into .cache/tools, where it is missing or of another version.
need_tool() {
  local name=$1 version=$2
  shift 2
  if [ -x ".cache/tools/bin/$name" ] && grep -q "\"$name $version " .cache/tools/.crates2.json 2>/dev/null; then return 0; fi
  note "building $name $version (once)"
  # Unoptimised: it builds in half the time, and these tools do little work.
  CARGO_TARGET_DIR=.cache/tools-build cargo install --quiet --debug --locked --root .cache/tools --version "$version" "$@" "$name"
  rm -rf .cache/tools-build
}

# Rust and Node are what a machine must bring; everything else is set up here.
check_toolchains() {
  command -v cargo >/dev/null || die "Rust is missing: install it from https://rustup.rs and run this again"
  command -v node >/dev/null || die "Node.js is missing: install version 20 or later from https://nodejs.org and run this again"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || die "Node.js $(node --version) is too old: 20 or later is needed"
}

# What building and running needs. The window needs a web view; the demo agent needs a sandbox.
setup_system() {
  step "System packages"
  if on_mac; then
    xcode-select -p >/dev/null 2>&1 || die "Xcode's command line tools are missing: run 'xcode-select --install' and then this again"
    note "Xcode's tools are there; the sandbox is the system's own sandbox-exec"
  elif command -v apt-get >/dev/null; then
    need_packages build-essential pkg-config git libwebkit2gtk-4.1-dev libayatana-appindicator3-dev librsvg2-dev libxdo-dev \
      libssl-dev dbus dbus-x11 bubblewrap "$@"
    note "all there"
  else
    note "not a Debian: webkit2gtk-4.1, libayatana-appindicator, librsvg, libxdo and bubblewrap are taken to be installed"
  fi
}

# The pages of the windows. Built again only when a source is newer than what was built.
build_ui() {
  step "Pages of the windows"
  if [ ! -d ui/node_modules ] || [ ui/package-lock.json -nt ui/node_modules/.package-lock.json ]; then
    note "npm ci"
    (cd ui && npm ci --no-audit --no-fund --loglevel=error)
  fi
  if [ ! -f ui/dist/approval.html ] || [ -n "$(find ui/src ui/*.html ui/*.ts ui/package-lock.json -newer ui/dist/approval.html -print -quit 2>/dev/null)" ]; then
    note "vite build"
    (cd ui && npm run --silent build)
    touch ui/dist/approval.html
  else
    note "up to date"
  fi
}

# Builds the whole without what an edit's build would read of it, which takes a sixth of the time; until somebody builds by
# hand or with scripts/test --fast, which keep it.
build_once() {
  [ -d "${CARGO_TARGET_DIR:-target}/debug/incremental" ] || export CARGO_INCREMENTAL=0
}

# Copies a program to a path where its older self may be running: that one keeps its file, the path names the new one.
put_program() {
  cp "$1" "$2.new.$$"
  mv -f "$2.new.$$" "$2"
}

# `postern-run` as it goes into sandboxes: static on Linux. Leaves it at target/sandbox/postern-run.
build_postern_run() {
  step "postern-run, as it goes into sandboxes"
  local host flags=""
  host=$(rustc -vV | sed -n 's/^host: //p')
  # Packed, the addresses that a static program relocates when it starts take 47 KB less. A panic aborts, so the table
  # by which one would be unwound (20 KB) is never read.
  on_mac || flags="-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,--no-eh-frame-hdr"
  # As it is shipped: Clippy's driver, which .ci/run builds the rest with, optimises less.
  env -u RUSTC_WORKSPACE_WRAPPER RUSTFLAGS="$flags" cargo build --quiet -p postern-run --profile tiny --target "$host"
  mkdir -p target/sandbox
  put_program "${CARGO_TARGET_DIR:-target}/$host/tiny/postern-run" target/sandbox/postern-run
  note "$(wc -c <target/sandbox/postern-run | tr -d ' ') bytes"
}
