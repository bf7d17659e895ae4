# What the steps of .ci/run share. Sourced, not run.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/usercore-ci
mkdir -p "$cache"
work=$(mktemp -d)
started=()
summary=()

# step NAME COMMAND... runs a step and notes how long it took.
step() {
  local name=$1 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  summary+=("$(printf '%5ds  %s' $((SECONDS - begin)) "$name")")
}

# start_service LOG COMMAND... starts a service that is stopped by its pid when the script ends.
start_service() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 &
  started+=($!)
}

stop_services() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  started=()
}
trap 'stop_services; rm -rf "$work"' EXIT

# await SECONDS COMMAND... waits until a command succeeds.
await() {
  local left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "gave up waiting for: $*"
      return 1
    fi
    sleep 0.2
  done
}

# free_port prints a port on which nobody listens now.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# counted LABEL COMMAND... runs go test with -json output, fails on a failure or a skip, and prints how many tests passed.
counted() {
  local label=$1 out=$work/counted.json
  shift
  if ! "$@" >"$out" 2>"$work/counted.err"; then
    cat "$work/counted.err"
    python3 .ci/tests.py failures <"$out"
    return 1
  fi
  echo "$label: $(python3 .ci/tests.py count <"$out")"
}
