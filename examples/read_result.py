#!/usr/bin/env python3
"""Read a comparison in JSON and print one line, with nothing but the standard library.

    tribunal compare --a new.jsonl --b old.jsonl --judge mini --format json --out comparison.json
    python3 examples/read_result.py comparison.json
"""

import json
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("kind") != "comparison":
        sys.exit(f"{path}: a {document.get('kind')}, not a comparison")
    result = document["result"]
    rate = result["win_rate"]
    print(f"{result['a']} against {result['b']}: ", end="")
    if "not_estimable" in rate:
        print(f"not estimable ({rate['not_estimable']})")
    else:
        print(f"{rate['point']:.1%} [{rate['lower']:.1%}, {rate['upper']:.1%}], n {rate['n']}: {result['decision']}")


if __name__ == "__main__":
    main(sys.argv[1])
