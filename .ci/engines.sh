# The suites on DynamoDB engines that are not ours. Sourced by .ci/run.

dynoxide_version=3.2.0
ministack_version=
suites=(./userstore/... ./emails/...)

# dynoxide prints the path of the engine's binary, built once: static, so that it also makes an image from scratch.
dynoxide() {
  local root=$cache/dynoxide-$dynoxide_version
  if [ ! -x "$root/bin/dynoxide" ]; then
    RUSTFLAGS='-C target-feature=+crt-static' cargo install dynoxide-rs --version "$dynoxide_version" --locked \
      --target x86_64-unknown-linux-gnu --root "$root" >&2
  fi
  echo "$root/bin/dynoxide"
}

# ministack prints the path of the program, installed once into a virtual environment.
ministack() {
  local root=$cache/ministack
  if [ ! -x "$root/bin/ministack" ]; then
    python3 -m venv "$root" >&2
    "$root/bin/pip" install --quiet "ministack$ministack_version" >&2
  fi
  echo "$root/bin/ministack"
}

on_engine() {
  local label=$1 endpoint=$2
  counted "engine: $label" env USERCORE_TEST_DYNAMODB="$endpoint" go test -count=1 -json "${suites[@]}"
}

run_dynoxide() {
  local program port
  program=$(dynoxide)
  port=$(free_port)
  start_service "$work/dynoxide.log" "$program" serve --host 127.0.0.1 --port "$port" --log quiet
  await 30 curl --silent --output /dev/null "http://127.0.0.1:$port/"
  on_engine "dynoxide $dynoxide_version" "http://127.0.0.1:$port"
  stop_services
}

run_ministack() {
  local program port version
  program=$(ministack)
  version=$("$(dirname "$program")/pip" show ministack | sed -n 's/^Version: //p')
  port=$(free_port)
  start_service "$work/ministack.log" env GATEWAY_PORT="$port" "$program"
  await 60 curl --silent --output /dev/null "http://127.0.0.1:$port/"
  on_engine "ministack $version" "http://127.0.0.1:$port"
  stop_services
}
