"""Compare wager with its twins on many cases of each topic: ``make twins CASES=1000``.

Topics with intervals or with Beta distributions get a tenth of them.  Prints how often each number
was compared and its largest relative error; the exit status is 1 if one is too large.  The numbers
of the cases go on from FIRST: ``python -m tests.twins CASES FIRST``; more words choose the topics
whose names contain one of them.
"""

from __future__ import annotations

import sys

from tests.twins.exact import run
from tests.twins.topics import SLOW, TOPICS


def main(n: int = 100, first: int = 0, *words: str) -> int:
    """Try n cases of each topic, print a table, and return the exit status."""
    total, status, largest = 0, 0, 0.0
    chosen = {t: c for t, c in TOPICS.items() if not words or any(word in t for word in words)}
    for topic, cases in chosen.items():
        n_cases = max(1, n // 10 if topic in SLOW else n)
        try:
            found = run(cases, n_cases, first)
        except AssertionError as fault:
            print(f"{topic}: {fault}", flush=True)
            status = 1
            continue
        for name, (count, error) in found.items():
            print(f"{name:<60}{count:>10,}{error:>10.1e}")
            total += count
            largest = max(largest, error)
        print(f"-- {topic}: {n_cases:,} cases", flush=True)
    print(f"{total:,} numbers compared, largest relative error {largest:.1e}")
    return status


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:3]), *sys.argv[3:]))
