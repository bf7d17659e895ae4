# The contract tests on engines that are not ours; sourced by run.
# shellcheck shell=bash

dynoxide_version=3.2.0
ministack_version=1.5.33

# install_dynoxide builds dynoxide, unless it is in the cache, and prints where it is. The binary is static, so that it runs in an
# image of nothing else; naming the target keeps the flag away from the macros that the compiler itself loads.
install_dynoxide() {
  local root=$cache/dynoxide-$dynoxide_version target
  if [ ! -x "$root/bin/dynoxide" ]; then
    target=$(rustc -vV | awk '/^host:/ { print $2 }')
    RUSTFLAGS="-C target-feature=+crt-static" again nice cargo install --quiet --locked --root "$root" --target "$target" \
      dynoxide-rs@"$dynoxide_version" >&2
  fi
  echo "$root/bin"
}

run_on_dynoxide() {
  local bin port
  bin=$(install_dynoxide)
  port=$(free_port)
  background "$work/dynoxide.log" "$bin/dynoxide" serve --host 127.0.0.1 --port "$port" --log quiet
  run_on "dynoxide $dynoxide_version" "$port" "$work/dynoxide.log"
}

# install_ministack puts ministack into an environment of its own, unless it is in the cache, and prints where it is.
install_ministack() {
  local root=$cache/ministack-$ministack_version
  if [ ! -x "$root/bin/ministack" ]; then
    python3 -m venv --clear "$root" >&2
    again "$root/bin/pip" install --quiet --disable-pip-version-check "ministack==$ministack_version" >&2
  fi
  echo "$root/bin"
}

run_on_ministack() {
  local bin port
  bin=$(install_ministack)
  port=$(free_port)
  background "$work/ministack.log" env BIND_HOST=127.0.0.1 GATEWAY_PORT="$port" "$bin/ministack"
  run_on "ministack $ministack_version" "$port" "$work/ministack.log"
}

# run_on ENGINE PORT LOG runs the contract tests on the engine that was started last, and stops it. A result from go test's cache
# would prove nothing about it.
run_on() {
  local packages
  mapfile -t packages <integration/packages.txt
  await_up "$3" answers "$2"
  USERCORE_TEST_DYNAMODB=http://127.0.0.1:$2 go test -json -count=1 "${packages[@]}" | testlog -label "engine: $1"
  stop_latest
}
