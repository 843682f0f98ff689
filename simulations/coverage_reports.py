"""Coverage reports: how often all of their intervals contain the true coverage.

Every row is covered with a probability that depends on its class, its group and its features.  A
report has an interval for all rows, for three classes, four groups and five slices of a feature.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wager.rewards import CoverageReport, coverage_report

REPLICATIONS = 200
SEED = 2021
PRIOR = np.array([0.6, 0.3, 0.1])
ALPHA = 0.1
_BINS = 5
_VISITS = 4  # rows of a cluster

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


class Law(NamedTuple):
    """The chance of being covered: a part for the class, for the group and for x in [0, 1]."""

    by_class: tuple[float, float, float] = (0.0, 0.0, 0.0)
    by_group: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    slope: float = 0.0
    clustered: bool = False

    def draw(self, rng: np.random.Generator, n: int) -> tuple[CoverageReport, Floats]:
        """The report of a sample, and the value of x of every row."""
        units = n // _VISITS if self.clustered else n
        y, g = rng.choice(3, units, p=PRIOR), rng.integers(0, 4, units)
        x, luck = rng.random(units), rng.random(units)
        clusters = None
        if self.clustered:  # the visits of a patient are alike, and covered together
            clusters = np.repeat(np.arange(units), _VISITS)
            y, g, x, luck = (np.repeat(column, _VISITS) for column in (y, g, x, luck))
            x = np.clip(x + rng.uniform(-0.01, 0.01, n), 0, 1)
        hit = luck < self.chance(np.array(self.by_class)[y], np.array(self.by_group)[g], x)
        found = coverage_report(
            y, np.where(hit, y, (y + 1) % 3), {"group": g.astype(str), "x": x},
            alpha=ALPHA, n_bins=_BINS, groups=clusters, classes=[0, 1, 2],
        )  # fmt: skip
        return found, x

    def chance(self, of_class: Any, of_group: Any, x: Any) -> Any:
        """The probability that a row is covered."""
        return 1 - ALPHA + of_class + of_group + self.slope * (x - 0.5)

    def truths(self, x: Floats) -> dict[str, float]:
        """The coverage of every part of the report, for slices that are cut at quantiles of x."""
        of_class, of_group = np.array(self.by_class), np.array(self.by_group)
        mean_class, mean_group = float(PRIOR @ of_class), float(of_group.mean())
        found = {"all rows": self.chance(mean_class, mean_group, 0.5)}
        found |= {f"class {k}": self.chance(of_class[k], mean_group, 0.5) for k in range(3)}
        found |= {f"group {k}": self.chance(mean_class, of_group[k], 0.5) for k in range(4)}
        ends = [0.0, *np.quantile(x, np.arange(1, _BINS) / _BINS), 1.0]
        for k in range(_BINS):
            found[f"x {k}"] = self.chance(mean_class, mean_group, (ends[k] + ends[k + 1]) / 2)
        return found


LAWS = {
    "the promised coverage everywhere": Law(),
    "coverage by class and group": Law((0.03, -0.02, -0.1), (0.02, 0.0, 0.02, -0.15)),
    "coverage falls with x": Law(slope=-0.16),
    "clusters of four rows": Law((0.03, -0.02, -0.1), slope=-0.1, clustered=True),
}


def table(replications: int = REPLICATIONS, seed: int = SEED) -> list[dict[str, Any]]:
    """Rates of reports whose intervals are all right, and of false alarms."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []

    def add(what: str, setting: str, n: int, value: float, bound: str = "") -> None:
        rows.append({"what": what, "setting": setting, "n": n, "value": round(value, 4),
                     "replications": replications, "bound": bound})  # fmt: skip

    for name, law in LAWS.items():
        for n in (200, 1000):
            right, alarms = 0, 0
            for _ in range(replications):
                found, x = law.draw(rng, n)
                right += _all_right(found, law.truths(x))
                alarms += bool(found.below or found.above)
            add("all intervals of a report", name, n, right / replications, ">= 0.92")
            if law == Law():
                add("any false alarm in a report", name, n, alarms / replications, "<= 0.08")
    return rows


def _all_right(report: CoverageReport, truths: dict[str, float]) -> bool:
    slices = iter(range(_BINS))
    for part in report:
        title = f"x {next(slices)}" if part.kind == "x" else part.title
        if not part.low <= truths[title] <= part.high:
            return False
    return True


if __name__ == "__main__":
    for row in table():
        print(*row.values(), sep="\t")
