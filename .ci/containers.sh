# The suites on an engine in a container, by testcontainers. Sourced by .ci/run.

# docker_engine makes sure that a Docker engine answers. It starts one by hand if none does; never a second one.
docker_engine() {
  docker info >/dev/null 2>&1 && return
  if ! command -v dockerd >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq docker.io
  fi
  docker info >/dev/null 2>&1 && return
  start_service "$work/dockerd.log" dockerd --storage-driver=vfs
  await 90 docker info
}

run_containers() {
  local image=usercore-ci/dynoxide:$dynoxide_version context=$work/image
  docker_engine || { tail -20 "$work/dockerd.log"; return 1; }
  mkdir -p "$context"
  cp "$(dynoxide)" "$context/dynoxide"
  printf 'FROM scratch\nCOPY dynoxide /dynoxide\nEXPOSE 8000\nENTRYPOINT ["/dynoxide", "serve", "--host", "0.0.0.0", "--port", "8000", "--log", "quiet"]\n' >"$context/Dockerfile"
  DOCKER_BUILDKIT=0 docker build --quiet --tag "$image" "$context"
  (
    cd integration
    USERCORE_TEST_IMAGE=$image TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1 \
      GOWORK=off go test -count=1 -run TestSuites -v .
  ) | tee "$work/containers.txt"
  grep -q '^containers: [0-9]* passed$' "$work/containers.txt"
  stop_services
}
