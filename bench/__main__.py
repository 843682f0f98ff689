"""``python -m bench [NAME ...]``: print what every ``bench/<name>.py`` yields as one table."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from bench.measure import Row

NOT_BENCHES = {"__init__", "__main__", "measure", "weka"}


def _line(row: Row) -> str:
    aim = "" if row.at_most is None else f"aim <= {row.at_most:g}  {'met' if row.met else 'MISSED'}"
    times = f"{row.ours * 1e3:10.2f} ms  {row.other * 1e3:10.2f} ms"
    return f"{row.what:58} {times}  x{row.ratio:<8.3g} {row.other_name:38} {aim}"


def main(wanted: list[str]) -> int:
    names = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if p.stem not in NOT_BENCHES)
    unknown = set(wanted) - set(names)
    if unknown:
        print(f"no bench called {', '.join(sorted(unknown))}: choose from {', '.join(names)}")
        return 2
    print(f"{'what':58} {'ours':>13}  {'other':>13}  {'ratio':9} {'other is':38} aim")
    for name in wanted or names:
        print(f"-- {name}")
        for row in import_module(f"bench.{name}").rows():
            print(_line(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
