"""Run simulations and write their tables: ``python -m simulations [TOPIC ...]``.

Each topic becomes ``docs/results/certainty/TOPIC.csv``, and its summary a table in
``docs/certainty.md``.  The exit status is 1 if a value does not keep its bound.
"""

from __future__ import annotations

import argparse
import csv
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

from simulations.page import fill

TOPICS = (
    "intervals",
    "paired",
    "verdicts",
    "cross_validation",
    "partitions",
    "probabilities",
    "sequential",
    "elicitation",
    "selective",
    "monitor",
    "caution",
    "coverage_reports",
    "strata",
    "worst_slices",
    "human",
    "conformal",
)
DOCS = Path(__file__).parent.parent / "docs"
OUT = DOCS / "results" / "certainty"


def simulate(topic: str, share: float) -> tuple[str, list[dict[str, Any]], float]:
    """The table of a topic with a share of its usual replications, and the seconds it took."""
    start = process_time()
    module = import_module(f"simulations.{topic}")
    replications = max(2, round(share * module.REPLICATIONS))
    return topic, module.table(replications, module.SEED), process_time() - start


def write(topic: str, rows: list[dict[str, Any]], out: Path) -> None:
    """Write a table as CSV, atomically."""
    out.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    part = out / f"{topic}.csv.part"
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: _shown(v) for k, v in row.items()} for row in rows)
    part.replace(out / f"{topic}.csv")


def _shown(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) else value


def broken(row: dict[str, Any]) -> bool:
    """Whether a row has a bound, such as '>= 0.92', that its value does not keep."""
    bound = str(row.get("bound", ""))
    if not bound.startswith((">=", "<=")):
        return False
    limit, value = float(bound[2:]), float(row["value"])
    return value < limit if bound.startswith(">=") else value > limit


def main() -> int:
    """Run the chosen topics in two processes."""
    parser = argparse.ArgumentParser(prog="python -m simulations", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"of {', '.join(TOPICS)}")
    parser.add_argument("--share", type=float, default=1.0, help="share of the replications")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the CSV files")
    given = parser.parse_args()
    unknown = [topic for topic in given.topics if topic not in TOPICS]
    if unknown:
        parser.error(f"unknown topic {unknown[0]!r}: choose from {', '.join(TOPICS)}")
    failures = 0
    with ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(simulate, topic, given.share) for topic in given.topics or TOPICS]
        for job in jobs:
            topic, rows, seconds = job.result()
            write(topic, rows, given.out)
            bad = [row for row in rows if broken(row)]
            failures += len(bad)
            print(f"{topic}: {len(rows)} rows in {seconds:.0f} s, {len(bad)} beyond their bound")
            for row in bad:
                print("  " + ", ".join(f"{k} {_shown(v)}" for k, v in row.items()))
    if given.out == OUT:
        fill(DOCS / "certainty.md", OUT)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
