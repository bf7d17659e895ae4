# The contract tests on an engine in a container; sourced by run.
# shellcheck shell=bash

# run_in_containers builds an image from the binary that the engines' step has left in the cache: no registry is needed.
run_in_containers() {
  local bin image=usercore-ci/dynoxide:$dynoxide_version
  bin=$(install_dynoxide)
  ensure_docker
  docker build --quiet --file integration/dynoxide.Dockerfile --tag "$image" "$bin"
  USERCORE_TEST_IMAGE=$image test_containers
}

# ensure_docker uses the Docker engine that runs here, or starts one that lives in the run's directory and ends with it, but never
# a second one: two would share a bridge. The containers answer and ask nothing, so it needs no rules in the host's packet filter.
ensure_docker() {
  if command -v docker >/dev/null && timeout 20 docker info >/dev/null 2>&1; then
    return
  fi
  if pidof dockerd >/dev/null; then
    echo "a Docker engine runs, but docker info does not reach it"
    return 1
  fi
  need dockerd docker.io
  export DOCKER_HOST=unix://$work/docker.sock
  background "$work/docker.log" dockerd --host "$DOCKER_HOST" --iptables=false \
    --data-root "$work/docker" --exec-root "$work/docker-run" --pidfile "$work/docker.pid"
  await_up "$work/docker.log" timeout 5 docker info
}

# test_containers shows the tests' results as they come. The reaper of testcontainers-go would have to be pulled, and the host has
# to be named where the run is itself in a container.
test_containers() {
  TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1 in_module integration go test -v -count=1 -run TestSuites .
}
