"""Which users each method suits: a table and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.experiments.study import StudyTable, listed
from wager_studies.findings._utility_lines import HIGH, LOW, UtilityLines, without_rounding

__all__ = [
    "CONFORMAL",
    "Scores",
    "best_table",
    "range_where_better",
    "recommendations",
    "short_answer",
]

Scores = dict[str, dict[str, Floats]]  # by measure and method
CONFORMAL = ("LAC ", "LAC+", "APS")  # how the names of conformal methods begin
ATTITUDES = (0.5, 0.65, 0.8, 0.95)  # u(0.5): the utility of a set of two with the true class
NARROW = 0.005  # of u(0.5): less than two decimals show


def recommendations(bayes: UtilityLines, forest: UtilityLines) -> list[str]:
    """Which method to use for which utility: one paragraph per family."""
    return [
        _paragraph(bayes, "NBC", "naive Bayes"),
        _paragraph(forest, "RF", "a random forest"),
    ]


def short_answer(
    bayes: UtilityLines, forest: UtilityLines, scores: Scores, names: Sequence[str]
) -> str:
    """The main results in one paragraph; gains over the single class in percentage points.

    Parameters
    ----------
    bayes, forest : UtilityLines
    scores : dict by measure and method
    names : sequence of str
        The data sets.
    """
    families = ((bayes, "NBC", 3), (forest, "RF", 2))
    most = ". ".join(
        f"At {q:g} " + "; around the forest ".join(_leaders(*family, q) for family in families)
        for q in ATTITUDES
    )
    u80 = without_rounding(scores["u80"]["NCC"] - scores["u80"]["NBC"])
    worst = ", ".join(f"{names[i]} {100 * u80[i]:+.0f}" for i in u80.argsort()[:2])
    gains = {n: bayes.gain(n, "NBC", 0.65) for n in bayes.names if n.startswith(CONFORMAL)}
    high, low = (pick(gains, key=lambda name: gains[name]) for pick in (max, min))
    return (
        "The methods that earn most on average, with their gain over the single class in "
        f"percentage points, by the utility of a correct set of two classes. {most}. "
        f"NCC is ahead of NBC on {int((u80 > 0).sum())} data sets under u80 and behind on "
        f"{int((u80 < 0).sum())}; its mean gain is {100 * u80.mean():+.1f}, with the greatest "
        f"losses on {worst}. CDT is determinate in "
        f"{100 * scores['determinacy']['CDT'].mean():.0f}% of cases. Only conformal "
        f"sets promise a coverage; under u65 they gain from {100 * gains[low]:+.1f} ({low}) "
        f"to {100 * gains[high]:+.1f} ({high}), with 30% of the training rows used for calibration "
        "instead of learning."
    )


def _leaders(lines: UtilityLines, plain: str, many: int, q: float) -> str:
    """The methods that earn most on average, best first, with their gains."""
    gains = {name: 100 * lines.gain(name, plain, q) for name in lines.names}
    first = sorted(gains, key=lambda name: -gains[name])[:many]
    return ", ".join(f"{name} ({gains[name] + 0.0:+.1f})" for name in first)


def best_table(bayes: UtilityLines, forest: UtilityLines) -> StudyTable:
    """The best method on average for some utilities, and those not significantly worse."""
    rows = [
        (base, f"{q:g}", *_best_at(lines, plain, q))
        for base, plain, lines in (("naive Bayes", "NBC", bayes), ("random forest", "RF", forest))
        for q in ATTITUDES
    ]
    headers = (
        "around", "u(0.5)", "earns most", "gain over the single class (points)", "95% interval",
        "not significantly worse",
    )  # fmt: skip
    return StudyTable("Best method by utility", headers, rows, digits=1)


def _best_at(lines: UtilityLines, plain: str, q: float) -> tuple[Any, ...]:
    values = 100 * lines.at(q)
    best = int(values.mean(axis=0).argmax())
    gains = values - values[:, [lines.names.index(plain)]]
    low, high = _interval(gains[:, best])
    behind = values[:, [best]] - values
    level = [
        name for j, name in enumerate(lines.names) if j != best and _interval(behind[:, j])[0] <= 0
    ]
    gain = float(gains[:, best].mean())
    return lines.names[best], gain, f"{low:.1f} to {high:.1f}", listed(level)


def _interval(values: Floats) -> tuple[float, float]:
    """The 95% t interval of the mean over data sets."""
    from scipy.special import stdtrit

    n = len(values)
    half = float(stdtrit(n - 1, 0.975) * values.std(ddof=1) / np.sqrt(n))
    return float(values.mean()) - half, float(values.mean()) + half


def _paragraph(lines: UtilityLines, plain: str, base: str) -> str:
    n = len(lines.lines)
    most = ", ".join(f"{name} from {low:.2f} to {high:.2f}" for low, high, name in lines.best())
    found = {name: range_where_better(lines, name, plain) for name in lines.names if name != plain}
    better = [f"{name} ({_range(part)})" for name, part in found.items() if part]
    none = [name for name, part in found.items() if not part]
    sentences = [
        f"Recommendations around {base}: by the mean over {n} data sets, as u(0.5) grows from 0.5 "
        f"(no risk aversion) to 1, these methods earn most: {most}.",
        f"With 95% confidence better than {plain}: {listed(better)}.",
    ]
    if none:
        sentences.append(f"Not significantly better for any u(0.5): {', '.join(none)}.")
    return " ".join(sentences)


def range_where_better(lines: UtilityLines, a: str, b: str) -> tuple[float, float] | None:
    """The range of u(0.5) in which the first is better with 95% confidence, or None.

    Examples
    --------
    >>> sure, vague = [0.7, 0.6, 0.65, 0.68], [0.5, 0.5, 0.5, 0.5]
    >>> lines = UtilityLines.of(["sure", "vague"], np.transpose([sure, vague]),
    ...                         np.transpose([sure, [0.8] * 4]))
    >>> low, high = range_where_better(lines, "vague", "sure")
    >>> 0.66 < low < 0.75, high
    (True, 1.0)
    """
    interval = lines.break_even(a, b).interval
    gap = [lines.gain(a, b, q) for q in (LOW, HIGH)]
    if interval is None:
        return (LOW, HIGH) if min(gap) > 0 else None
    if gap[1] > 0 and interval[1] < HIGH - NARROW:
        return interval[1], HIGH
    return (LOW, interval[0]) if gap[0] > 0 and interval[0] > LOW + NARROW else None


def _range(part: tuple[float, float]) -> str:
    low, high = part
    if (low, high) == (LOW, HIGH):
        return "for every u(0.5)"
    return f"u(0.5) above {low:.2f}" if high == HIGH else f"u(0.5) below {high:.2f}"
