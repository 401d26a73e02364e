# What builds for macOS on Debian: Debian's Rust, which comes with the source of the standard library and so can build for a system
# that it has no library for; a linker and a signer from PyPI. Sourced, never run: after scripts/lib.sh, in the repository's root.
# shellcheck shell=bash

RUST=1.96
cache=$PWD/.cache/macos
usr=$cache/root/usr
python=$cache/venv/bin/python3

# The version of a Debian package that begins with the wanted one; several may be offered.
version_of() { apt-cache madison "$1" 2>/dev/null | awk -F'|' -v want="$2" '{gsub(/ /, "", $2)} index($2, want) == 1 {print $2; exit}'; }

# Fetches Debian's Rust into .cache/macos, beside the system and not into it: it would hide the project's own.
fetch_rust() {
  [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || die "this needs Debian's packages for amd64, or a Mac"
  if [ -f "$cache/root/complete" ] && [ ! scripts/macos/tools.sh -nt "$cache/root/complete" ]; then return 0; fi
  [ -n "$(version_of rustc-web "$RUST")" ] || as_root apt-get update -qq
  local package version wanted=()
  for package in rustc-web cargo-web rust-web-clippy libstd-rust-web-dev "libstd-rust-web-$RUST" rust-web-src; do
    version=$(version_of "$package" "$RUST")
    [ -n "$version" ] || die "Debian offers no $package $RUST here: set RUST in scripts/macos/tools.sh to a version that it offers"
    wanted+=("$package=$version")
  done
  # Libraries of rustc and cargo.
  wanted+=(libllvm22 libgit2-1.5 libssh2-1 libmbedtls14 libmbedx509-1 libmbedcrypto7 libhttp-parser2.9)
  note "fetching ${wanted[*]}"
  rm -rf "$cache/new"
  mkdir -p "$cache/new/packages"
  (cd "$cache/new/packages" && apt-get -o APT::Sandbox::User=root download -qq "${wanted[@]}")
  for package in "$cache/new/packages/"*.deb; do dpkg -x "$package" "$cache/new/root"; done
  rm -rf "$cache/new/packages" "$cache/root"
  mv "$cache/new/root" "$cache/root"
  touch "$cache/root/complete"
}

# Fetches the linker and the signer into an environment of their own; again when the list of them changed.
fetch_wheels() {
  if [ -f "$cache/venv/complete" ] && [ ! scripts/macos/requirements.txt -nt "$cache/venv/complete" ]; then return 0; fi
  need_packages python3-venv
  note "fetching the linker and the signer"
  rm -rf "$cache/venv"
  python3 -m venv "$cache/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r scripts/macos/requirements.txt
  touch "$cache/venv/complete"
}

# Runs Debian's cargo. What is not stable in it is only used to look: nothing that it makes is shipped.
debian_cargo() {
  env "LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu:$usr/lib" "RUSTC=$usr/bin/rustc" RUSTC_BOOTSTRAP=1 SDKROOT=/nonexistent \
    "$usr/bin/cargo" "$@"
}
