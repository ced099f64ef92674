"""Count the cases that pass; see the package."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

import treadle
from onnx_nodes.cases import collect, outcome, twins_of


def main() -> int:
    """Run every case, and print what is missing and how many pass."""
    parser = argparse.ArgumentParser(prog="onnx_nodes")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", help="an operator")
    parser.add_argument("--least", type=int, default=0, help="fail if fewer cases pass")
    parser.add_argument("--verbose", action="store_true", help="name every case that fails")
    options = parser.parse_args()
    cases = collect()
    twins = twins_of(cases)
    chosen = [c for c in cases if not options.only or
              any(n.op_type == options.only for n in c.model.graph.node)]  # fmt: skip
    start = time.perf_counter()
    counts: Counter[str] = Counter()
    reasons: dict[str, list[str]] = defaultdict(list)
    with treadle.use_device(options.device):
        for case in chosen:
            found = outcome(case, twins)
            counts[found.status] += 1
            if found.status == "refused":
                reasons[found.reason[:100]].append(case.name)
            elif found.status == "failed":
                print(f"failed: {case.name}: {found.reason}")
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):5d}  {reason}")
        if options.verbose:
            print("       " + " ".join(names))
    total = sum(counts.values())
    print(
        f"{counts['passed']} of {total} cases pass on {options.device}, {counts['failed']} are "
        f"wrong, {counts['refused']} need what is not there; {time.perf_counter() - start:.0f} s"
    )
    return int(counts["passed"] < options.least or counts["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
