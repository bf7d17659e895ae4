"""Reads `go test -json` from standard input.

count: prints "N passed"; exits 1 when a test was skipped or none passed.
failures: prints the output of the tests that failed.
"""

import json
import sys


def main(mode):
    outputs, passed, skipped, failed = {}, 0, [], []
    for line in sys.stdin:
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")
            continue
        key = (event.get("Package"), event.get("Test"))
        action = event["Action"]
        if action == "output":
            outputs.setdefault(key, []).append(event["Output"])
        elif event.get("Test") and action == "pass":
            passed += 1
        elif event.get("Test") and action == "skip":
            skipped.append(key)
        elif action == "fail":
            failed.append(key)
    if mode == "failures":
        for key in failed:
            print("".join(outputs.get(key, [])), end="")
        return 0
    for package, test in skipped:
        print(f"skipped: {package} {test}", file=sys.stderr)
    print(f"{passed} passed")
    return 1 if skipped or not passed else 0


sys.exit(main(sys.argv[1]))
