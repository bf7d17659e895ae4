# Sign-up from end to end: cognito-local calls the trigger in Lambda's runtime interface emulator. Sourced by .ci/run.

cognito_local_version=5.3.0
emulator_version=v0.0.0-20261030222936-bef5c4ba774d

run_cognito() {
  local tools=$cache/cognito-local-$cognito_local_version
  [ -x "$tools/node_modules/.bin/cognito-local" ] || npm install --silent --no-fund --no-audit --prefix "$tools" "cognito-local@$cognito_local_version"
  GOBIN=$cache/bin go install "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$emulator_version"
  (
    cd integration
    USERCORE_LAMBDA_RIE=$cache/bin/aws-lambda-rie USERCORE_COGNITO_LOCAL=$tools/node_modules/.bin/cognito-local \
      GOWORK=off go test -count=1 -run TestSignUp -v .
  ) | tee "$work/cognito.txt"
  grep -q '^--- PASS: TestSignUp' "$work/cognito.txt"
}
