#!/bin/sh
# Puts postern-run into a development container. The engine runs this as root, with the feature's folder as the current one;
# postern-run for Linux lies in it. COMMANDS is the option `commands`. PREFIX is for tests: /usr/local where nothing is said.
set -euf

here=$(cd "$(dirname "$0")" && pwd)
bin=${PREFIX:-/usr/local}/bin
program=$here/postern-run

if [ ! -f "$program" ]; then
  echo "postern: copy postern-run, built for Linux, to $here (docs/CONTAINERS.md says how)" >&2
  exit 1
fi
# What cannot run here is said now, not when somebody needs it.
if ! "$program" --version >/dev/null 2>&1; then
  echo "postern: $program does not run in this container: it was built for another system or processor" >&2
  exit 1
fi

mkdir -p "$bin"
cp "$program" "$bin/postern-run"
chmod 0755 "$bin/postern-run"

# A link by another name runs that command on the host.
old_ifs=$IFS
IFS=', '
for command in ${COMMANDS:-}; do
  case $command in
    postern-run | *[!A-Za-z0-9._+-]* | .* | -*)
      echo "postern: $command is not the name of a command" >&2
      exit 1
      ;;
  esac
  if [ -e "$bin/$command" ] && [ ! -L "$bin/$command" ]; then
    echo "postern: $bin/$command is there already and is not ours: left as it is" >&2
    exit 1
  fi
  ln -sf postern-run "$bin/$command"
done
IFS=$old_ifs
