"""Claims of Yang, Destercke & Masson (2017), Section VII-C, about the cost as s grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import gt, lt
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.experiments.study import Claim
from wager_studies.yang._ordinal_data import MODES

__all__ = ["STRENGTHS", "TUNED", "Curves", "R", "claims_of", "tuning_claim"]

STRENGTHS = [float(f"{s:.3g}") for s in np.geomspace(0.001, 10, 25)]
R = (0.0, 0.1, 0.5, 0.9, 1.0)
TUNED = R[1:-1]  # with r = 0 the smallest s is best, with r = 1 the largest
NEAR = 3  # per cent: the largest excess cost of a chosen s that counts as good


@dataclass(frozen=True)
class Curves:
    """The average cost on one data set by mode, r (rows) and s (columns)."""

    strengths: Floats
    costs: dict[str, Floats]

    def best(self, mode: str, r: float) -> int:
        """The position of the s with the smallest cost."""
        return int(self.costs[mode][R.index(r)].argmin())

    def inside(self, mode: str, r: float) -> bool:
        """Whether the cost first falls and finally rises."""
        return 0 < self.best(mode, r) < len(self.strengths) - 1


def claims_of(curves: dict[str, Curves]) -> Iterator[Claim]:
    """The conclusions of Section VII-C, checked."""
    cautious, averse = MODES
    yield _order_claim(curves)
    for r in TUNED[1:]:
        for mode in MODES:
            outside = [name for name, curve in curves.items() if not curve.inside(mode, r)]
            exception = ", on LEV beyond s = 10" if r == 0.9 else ""
            remark = "; the paper does not say whether LEV is an exception in this mode as well"
            yield Claim(
                "VII-C, Fig. 3",
                f"r = {r}, {mode}: the cost falls, then rises with s{exception}",
                outside == (["LEV"] if exception else []),
                _best_strengths(curves, mode, r) + (remark if exception and mode == averse else ""),
            )
    yield _shallow_claim(curves)
    pairs = [(c.best(averse, r), c.best(cautious, r)) for c in curves.values() for r in TUNED]
    smaller, larger = (sum(map(compare, *zip(*pairs, strict=True))) for compare in (lt, gt))
    yield Claim(
        "VII-C",
        "in the mistake-averse mode the best s is smaller",
        2 * smaller > len(pairs) and not larger,
        f"smaller in {smaller} of {len(pairs)} cases, larger in {larger}, in the others the same "
        f"point of the grid, whose steps are a factor of {STRENGTHS[1] / STRENGTHS[0]:.2f}; "
        + "; ".join(_best_strengths(curves, averse, r) for r in TUNED),
    )
    yield _monotone_claim(curves, 0.0, "increasing")
    yield _monotone_claim(curves, 1.0, "decreasing")
    bests = {r: {curve.best(cautious, r) for curve in curves.values()} for r in TUNED}
    yield Claim(
        "VII-C",
        "for the same r the best s differs between data sets",
        all(len(found) > 1 for found in bests.values()),
        "; ".join(_best_strengths(curves, cautious, r) for r in TUNED),
    )


def _order_claim(curves: dict[str, Curves]) -> Claim:
    """Cautious costs fall as r grows, by Eq. (12); mistake-averse ones need not."""
    rises = [
        max(float(np.diff(curve.costs[mode], axis=0).max()) for curve in curves.values())
        for mode in MODES
    ]
    averse = "too" if rises[1] <= 1e-12 else f"a miss costs more: up to {rises[1]:.3f} more"
    return Claim(
        "VII-C",
        "the higher r, the lower the cost at any s",
        rises[0] <= 1e-12,
        f"in the cautious mode {'always' if rises[0] <= 1e-12 else f'up to {rises[0]:.3f} more'}, "
        f"since a mean falls with its exponent; in the mistake-averse mode {averse}",
    )


def _wrong_way(curve: Curves, r: float, sign: int) -> Floats:
    """How far each step of a cautious curve goes against the claimed direction."""
    return np.maximum(0.0, -sign * np.diff(curve.costs[MODES[0]][R.index(r)]))


def _shallow_claim(curves: dict[str, Curves]) -> Claim:
    """For r = 0.1; a gain within the random variation of the curve for r = 0 shows nothing."""
    costs = {name: curve.costs[MODES[0]][R.index(0.1)] for name, curve in curves.items()}
    gains = {name: float(each[0] - each.min()) for name, each in costs.items()}
    noise = {name: float(_wrong_way(curve, 0.0, 1).max()) for name, curve in curves.items()}
    seen = all(gains[name] > noise[name] for name in curves)
    found = all(curve.inside(MODES[0], 0.1) for curve in curves.values())
    listed = ", ".join(f"{name} {gains[name]:.4f} ({noise[name]:.4f})" for name in curves)
    return Claim(
        "VII-C, Fig. 3",
        "r = 0.1: the minimum is present, but hardly visible",
        found if seen else None,
        f"{_best_strengths(curves, MODES[0], 0.1)}; gain over the smallest s, and in brackets the "
        f"largest random step of the curve for r = 0: {listed}",
    )


def _monotone_claim(curves: dict[str, Curves], r: float, word: str) -> Claim:
    sign = 1 if word == "increasing" else -1
    words, strict = [], True
    for name, curve in curves.items():
        steps = np.diff(curve.costs[MODES[0]][R.index(r)])
        strict &= bool((sign * steps > 0).all())
        against = _wrong_way(curve, r, sign)
        wrong = np.flatnonzero(against > 1e-12)
        found = f"{name} {steps.sum():+.2f} in all, "
        if len(wrong):
            last = curve.strengths[wrong[-1] + 1]
            found += f"steps against it at most {against.max():.4f}, the last one to s = {last:g}"
        else:
            found += f"no step against it, {int((steps == 0).sum())} equal"
        words.append(found)
    return Claim("VII-C", f"r = {r:g}: the curves are strictly {word}", strict, "; ".join(words))


def tuning_claim(chosen: dict[str, list[tuple[Any, ...]]], curves: dict[str, Curves]) -> Claim:
    """The claim that cross-validation finds the best s."""
    rows = [row for each in chosen.values() for row in each]
    excess = [row[-1] for row in rows]
    least = (curves[d].costs[mode][R.index(r)].min() for d, mode, r, *_ in rows)
    of_all = max(100 * (row[6] / best - 1) for row, best in zip(rows, least, strict=True))
    return Claim(
        "VII-C",
        "cross-validation can determine the best s",
        max(excess) < NEAR,
        f"s chosen within each training set costs {np.median(excess):.1f}% more in the median of "
        f"{len(rows)} cases, and at most {max(excess):.1f}%, than the best of the values offered "
        f"({of_all:.1f}% than the best of the whole curve); our limit is {NEAR}%; the training "
        "sets within cross-validation are a fifth smaller, so the same s is more imprecise there, "
        "which may be the cause",
    )


def _best_strengths(curves: dict[str, Curves], mode: str, r: float) -> str:
    found = (f"{n} {curve.strengths[curve.best(mode, r)]:g}" for n, curve in curves.items())
    return f"best s for r = {r}: {', '.join(found)}"
