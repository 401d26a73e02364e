set -euo pipefail
profile=
declare -A given=()
while [ $# -gt 0 ]; do
  case $1 in
    -f) profile=$2; shift 2 ;;
    -D) given[${2%%=*}]=${2#*=}; shift 2 ;;
    *) break ;;
  esac
done
grep -q '^(version 1)$' "$profile"
for parameter in $(grep -o '(param "[A-Z]*")' "$profile" | cut -d'"' -f2 | sort -u); do
  [ -e "${given[$parameter]:?is not given}" ] || { echo "$parameter does not exist" >&2; exit 65; }
  [ "$(realpath "${given[$parameter]}")" = "${given[$parameter]}" ] || { echo "$parameter is no real path" >&2; exit 65; }
done
grep -qF "(allow network-outbound (literal \"$POSTERN_SOCKET\"))" "$profile"
[ ${#POSTERN_SOCKET} -lt 104 ] || { echo "no Mac binds $POSTERN_SOCKET" >&2; exit 65; }
echo "$*" >>"$(dirname "$0")/told"
exec "$@"
