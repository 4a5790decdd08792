#!/usr/bin/env bash
# From a clone to a first verdict on your own Kafka. All data are invented; a sandbox on this machine is the hub and the
# counterparty. Nothing but the folder, topics and a consumer group is made; run it again to send another example.
#
#   examples/first-verdict/run.sh DIR --broker kafka://HOST:PORT [other options of `travelrule init`]
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^#   /usage: /p' "$0" >&2; exit 2; }
folder=$1
broker=
for ((i = 2; i <= $#; i++)); do
  case ${!i} in
    --broker) j=$((i + 1)); broker=${!j-} ;;
    --broker=*) broker=${!i#--broker=} ;;
  esac
done
root=$(cd "$(dirname "$0")/../.." && pwd)
make -s -C "$root" install
PATH=$root/.venv/bin:$PATH

answers() {  # HOST:PORT PATH
  (
    exec 3<>"/dev/tcp/${1%:*}/${1##*:}"
    printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$2" "$1" >&3
    read -r -t 5 status <&3
    [[ $status == *' 200 '* ]]
  ) 2>/dev/null
}

start() {  # NAME HOST:PORT PATH COMMAND...: run it in the background until the end of this script
  local name=$1 address=$2 path=$3 process
  "${@:4}" >"$folder/$name.log" 2>&1 &
  process=$!
  started+=("$process")
  for _ in $(seq 300); do
    if answers "$address" "$path"; then return; fi
    kill -0 "$process" 2>/dev/null || break
    sleep 0.2
  done
  echo "$name did not start; the end of $folder/$name.log:" >&2
  tail -n 20 "$folder/$name.log" >&2
  exit 3
}

started=()
trap '[ ${#started[@]} = 0 ] || { kill "${started[@]}" 2>/dev/null || true; wait; }' EXIT

if [ -e "$folder/travelrule.env" ]; then
  echo "$folder has an installation: the settings in its travelrule.env apply"
else
  travelrule init "$@"
fi
set -a; . "$folder/travelrule.env"; set +a
if [ -n "$broker" ] && [ "$broker" != "$TRAVELRULE_BROKER_URL" ]; then
  echo "--broker differs from TRAVELRULE_BROKER_URL in $folder/travelrule.env:" \
    "correct it there, or name another folder" >&2
  exit 2
fi

travelrule migrate
[ "$TRAVELRULE_BROKER_URL" = embedded:// ] || travelrule topics apply
if [ -e "$folder/world.json" ]; then
  hub=${TRAVELRULE_HUB_URL#http://}
  start sandbox "$hub" '/sandbox/journal?limit=1' travelrule sandbox --world "$folder/world.json" --listen "$hub"
fi
start serve "$TRAVELRULE_METRICS_LISTEN" /readyz travelrule serve
travelrule send --example withdrawal.requested.v1
