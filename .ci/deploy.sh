# The template, and the functions as they are deployed; sourced by run.
# shellcheck shell=bash

cfn_lint_version=1.58.0

# check_template puts cfn-lint into an environment of its own, unless it is in the cache.
check_template() {
  local root=$cache/cfn-lint-$cfn_lint_version
  if [ ! -x "$root/bin/cfn-lint" ]; then
    python3 -m venv --clear "$root"
    again "$root/bin/pip" install --quiet --disable-pip-version-check "cfn-lint==$cfn_lint_version"
  fi
  "$root/bin/cfn-lint" examples/deploy/template.yaml
  echo "template.yaml: clean"
}

# check_functions builds the functions for both architectures, and starts those that this machine can run, with nothing set.
check_functions() {
  local architecture bootstrap
  need readelf binutils
  for architecture in arm64 amd64; do
    bash examples/deploy/build.sh "$architecture"
    for bootstrap in examples/deploy/build/*/bootstrap; do
      is_static "$bootstrap"
      if [ "$architecture" = "$(go env GOHOSTARCH)" ]; then
        names_what_is_missing "$bootstrap"
      fi
    done
    echo "$architecture: static"
  done
  rm -rf examples/deploy/build
}

# is_static fails for a program that needs an interpreter, the loader of shared libraries.
is_static() {
  if LC_ALL=C readelf --program-headers "$1" | grep -q INTERP; then
    echo "$1 is linked dynamically"
    return 1
  fi
}

# names_what_is_missing fails for a function that does not end at once, or does not say which variable it lacks.
names_what_is_missing() {
  local said status=0
  said=$(env -i AWS_REGION=us-east-1 timeout 20 "$1" 2>&1) || status=$?
  if [ "$status" -ne 1 ] || ! grep -q 'USERCORE_[A-Z_]*: is not set' <<<"$said"; then
    echo "$1: status $status, and it says: $said"
    return 1
  fi
}
