# A sign-up from end to end: cognito-local calls the trigger in Lambda's runtime interface emulator; sourced by run.
# shellcheck shell=bash

cognito_local_version=5.3.0
emulator_version=v0.0.0-20261030222936-bef5c4ba774d

run_signup() {
  local tools=$cache/cognito-local-$cognito_local_version
  if [ ! -x "$tools/node_modules/.bin/cognito-local" ]; then
    npm install --silent --no-fund --no-audit --prefix "$tools" "cognito-local@$cognito_local_version"
  fi
  GOBIN=$cache/bin go install "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$emulator_version"
  USERCORE_LAMBDA_RIE=$cache/bin/aws-lambda-rie USERCORE_COGNITO_LOCAL=$tools/node_modules/.bin/cognito-local \
    in_module integration go test -json -count=1 -run TestSignUp . | testlog -label "sign-up from end to end"
}
