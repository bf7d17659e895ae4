# What needs nothing but Go; sourced by run.
# shellcheck shell=bash

fuzz_time=10s
fuzz_executions=10000x
history_operations=500000
audited_items=1000000
adopted_accounts=100000

# run_tests leaves out what compares our engine with another one: the other rings run it, and here it would skip, which is a failure.
run_tests() {
  go test -race -json -skip '^TestDifferential$' ./... ./examples/... | testlog -label "in memory" -show '^TestConditionsAreNeeded$'
  in_module integration go test -race -json ./internal/... ./cmd/... | testlog -label "integration's own"
}

check_format() {
  local unformatted
  unformatted=$(gofmt -l .)
  if [ -n "$unformatted" ]; then
    printf 'gofmt would change:\n%s\n' "$unformatted"
    return 1
  fi
  echo "clean"
}

check_modules() {
  local module
  for module in $(modules); do
    in_module "$module" go vet ./...
    in_module "$module" go mod tidy -diff
    echo "$module: vet and tidy clean"
  done
}

check_static() {
  local module
  again go install honnef.co/go/tools/cmd/staticcheck@v0.8.2
  for module in $(modules); do
    in_module "$module" staticcheck ./...
    echo "$module: clean"
  done
}

# check_vulnerabilities passes, and says so, where the database cannot be reached.
check_vulnerabilities() {
  local findings
  again go install golang.org/x/vuln/cmd/govulncheck@v1.9.0
  if findings=$(govulncheck ./... 2>&1); then
    echo "no vulnerability found"
  elif grep -q "fetching vulnerabilities\|dial tcp\|no such host" <<<"$findings"; then
    echo "not run: the vulnerability database cannot be reached from here"
  else
    echo "$findings"
    return 1
  fi
}

# run_histories plays more operations than the tests do, and others each time.
run_histories() {
  local seed
  seed=$(date +%s)
  echo "from seed $seed"
  go test -json -count=1 -timeout 30m -run 'TestHistories$' ./internal/proof -ops "$history_operations" -seed "$seed" |
    testlog -label "histories" -show '^TestHistories$'
}

# run_mutants changes the lines of all decision functions, one at a time; the tests take a sample.
run_mutants() {
  go test -json -count=1 -timeout 40m -run TestDecisionsAreNeeded ./internal/proof -mutants |
    testlog -label "decisions" -show '^TestDecisionsAreNeeded$'
}

# run_large_audit audits and repairs a table of more items than the tests do, and bounds the auditor's memory.
run_large_audit() {
  go test -json -count=1 -timeout 30m -run TestLargeTable ./userstore/audit -items "$audited_items" |
    testlog -label "large table" -show '^TestLargeTable$'
}

# run_large_adoption brings over a table of more accounts than the tests do, with old programs beside it.
run_large_adoption() {
  go test -json -count=1 -timeout 30m -run TestAdopt ./userstore/adopt -accounts "$adopted_accounts" |
    testlog -label "adoption" -show '^TestAdopt$'
}

# fuzz_targets prints a line "package target" for each: go test lists the targets of a package above the package's own line.
fuzz_targets() {
  go test -list '^Fuzz' ./... ./examples/... |
    awk '/^Fuzz/ { targets[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, targets[i]; n = 0 }'
}

run_fuzzing() {
  local targets package target
  targets=$(fuzz_targets)
  [ -n "$targets" ]
  while read -r package target; do
    echo "$package $target"
    fuzz "$package" "$target"
  done <<<"$targets"
}

# fuzz repeats by count a run that ended in nothing but its own deadline: go test may report the end of -fuzztime as a failure (go.dev/issue/75804).
# An input that hangs fails the repetition too.
fuzz() {
  local package=$1 target=$2 log
  log=$(mktemp)
  if go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzz_time" -fuzzminimizetime 1s "$package" </dev/null >"$log" 2>&1; then
    tail -n 3 "$log"
    return
  fi
  tail -n 30 "$log"
  if ! grep -q '^ *context deadline exceeded$' "$log" || grep -q 'Failing input written' "$log"; then
    return 1
  fi
  echo "ended at its deadline; again, by count"
  timeout 600 go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzz_executions" -fuzzminimizetime 1s "$package" </dev/null | tail -n 3
}
