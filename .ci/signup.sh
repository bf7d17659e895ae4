# The Lambda functions in the runtime interface emulator, and a sign-up from end to end, where cognito-local calls the trigger in it; sourced
# by run.
# shellcheck shell=bash

cognito_local_version=5.3.0
emulator_version=v0.0.0-20261030222936-bef5c4ba774d

# install_emulator prints where the emulator is.
install_emulator() {
  GOBIN=$cache/bin again go install "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$emulator_version"
  echo "$cache/bin/aws-lambda-rie"
}

# run_functions says too what a cold start and a warm request take.
run_functions() {
  local emulator
  emulator=$(install_emulator)
  USERCORE_LAMBDA_RIE=$emulator in_module integration go test -json -count=1 -run TestFunctions . |
    tee "$work/functions.json" | testlog -label "functions in the emulator"
  grep -oE '(cold start and first request|warm request): [0-9.µm]+s' "$work/functions.json"
}

run_signup() {
  local emulator tools=$cache/cognito-local-$cognito_local_version
  emulator=$(install_emulator)
  if [ ! -x "$tools/node_modules/.bin/cognito-local" ]; then
    again npm install --silent --no-fund --no-audit --prefix "$tools" "cognito-local@$cognito_local_version"
  fi
  USERCORE_LAMBDA_RIE=$emulator USERCORE_COGNITO_LOCAL=$tools/node_modules/.bin/cognito-local \
    in_module integration go test -json -count=1 -run TestSignUp . | testlog -label "sign-up from end to end"
}
