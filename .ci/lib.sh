# Steps, clean-up and installs for the other files here; sourced by run.
# shellcheck shell=bash

cache=${XDG_CACHE_HOME:-$HOME/.cache}/usercore-ci # what is slow to build, by name and version
work=                                              # this run's own directory, removed at its end
current=                                           # the step that runs
timings=()                                         # one line for each step that passed
running=()                                         # processes to end, the latest last

# begin prepares the run and sees to it that nothing of it is left behind, however it ends.
begin() {
  work=$(mktemp -d)
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  PATH="$work/bin:$(go env GOPATH)/bin:$PATH"
  mkdir -p "$cache" "$work/bin"
  go version
  fetch_modules
  in_module integration go build -o "$work/bin/testlog" ./cmd/testlog
}

# fetch_modules downloads what the modules require, so that no step has to; tools and engines are downloaded by the steps that use them.
fetch_modules() {
  local module
  for module in $(modules); do
    again in_module "$module" go mod download
  done
}

# step NAME COMMAND... runs a command under a heading. The first one that fails ends the run.
step() {
  local began=$SECONDS
  current=$1
  printf '\n== %s\n' "$current"
  "${@:2}"
  timings+=("$(printf '%5d s  %s' $((SECONDS - began)) "$current")")
  current=
}

# finish stops what still runs and says what ran. After a failure it shows how the logs of what was started end.
finish() {
  local status=$? log
  trap - EXIT
  while [ ${#running[@]} -gt 0 ]; do
    stop_latest
  done
  if [ "$status" -ne 0 ]; then
    for log in "$work"/*.log; do
      [ ! -s "$log" ] || tail -n 20 -v "$log"
    done
  fi
  # Docker's own mounts go with it; should one be left, what lies behind it is not ours to remove.
  rm -rf --one-file-system "$work" || true
  printf '\n== summary\n'
  [ ${#timings[@]} -eq 0 ] || printf '%s\n' "${timings[@]}"
  if [ "$status" -eq 0 ]; then
    printf 'all green in %d s\n' "$SECONDS"
  else
    printf 'FAILED after %d s in: %s\n' "$SECONDS" "${current:-the preparation}"
  fi
  exit "$status"
}

# background LOG COMMAND... starts a process that finish stops.
background() {
  "${@:2}" >"$1" 2>&1 </dev/null &
  running+=($!)
}

# stop_latest ends the process that was started last and waits for it: 20 s, then it is killed.
stop_latest() {
  local pid=${running[-1]}
  unset 'running[-1]'
  kill "$pid" 2>/dev/null || true
  for _ in {1..80}; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.25
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

# await_up LOG COMMAND... repeats a command until it succeeds, some three minutes at most, as long as the process that was started last
# lives.
await_up() {
  for _ in {1..720}; do
    if "${@:2}" >/dev/null 2>&1; then
      return
    fi
    kill -0 "${running[-1]}" 2>/dev/null || break
    sleep 0.25
  done
  echo "it did not come up:"
  tail -n 40 "$1"
  return 1
}

# listens PORT succeeds when something accepts connections there.
listens() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# answers PORT succeeds when what listens there answers a request for its tables, be it with a refusal: an engine may open its port before it is
# ready.
answers() (
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit
  printf '%s\r\n' 'POST / HTTP/1.1' "Host: 127.0.0.1:$1" 'Content-Type: application/x-amz-json-1.0' \
    'X-Amz-Target: DynamoDB_20120810.ListTables' 'Content-Length: 2' 'Connection: close' >&3
  printf '\r\n{}' >&3
  read -r -t 10 status <&3
  [[ $status == HTTP/1.1\ [24]* ]]
)

# free_port prints a port that nothing listens on, below those that the system gives to outgoing connections.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((20000 + RANDOM % 10000))
    if ! listens "$port"; then
      echo "$port"
      return
    fi
  done
  echo "no free port found" >&2
  return 1
}

# again COMMAND... runs a command that downloads, four times at most, with longer and longer pauses: a registry may be away for a moment.
again() {
  local try
  for try in 1 2 3; do
    if "$@"; then
      return
    fi
    echo "try $try of 4 failed: $*" >&2
    sleep $((try * 10))
  done
  "$@"
}

# need COMMAND PACKAGE installs a Debian package unless the command is there.
need() {
  if command -v "$1" >/dev/null; then
    return
  fi
  again apt-get update -qq
  DEBIAN_FRONTEND=noninteractive again apt-get install -y -qq --no-install-recommends "$2"
}

# modules prints the directory of each module of the repository.
modules() {
  git ls-files --cached --others --exclude-standard -- go.mod '*/go.mod' | xargs -n 1 dirname
}

# in_module DIRECTORY COMMAND... runs a command in a module that sees no workspace.
in_module() {
  (cd "$1" && GOWORK=off "${@:2}")
}
