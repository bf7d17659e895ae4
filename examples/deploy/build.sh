#!/usr/bin/env bash
# Builds the Lambda functions that template.yaml names, static, into build/NAME/bootstrap beside this file.
#
#   build.sh [arm64|amd64]     default arm64, as the template's Architecture
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

arch=${1:-arm64}
case $arch in
  arm64 | amd64) ;;
  *)
    echo "build.sh: the architecture is arm64 or amd64, not $arch" >&2
    exit 2
    ;;
esac

for main in ../lambda/*/main.go; do
  directory=$(dirname "$main")
  CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -tags lambda.norpc -ldflags "-s -w" \
    -o "build/$(basename "$directory")/bootstrap" "$directory"
done
echo "built for $arch: $(echo build/*/)"
