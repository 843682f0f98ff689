"""The result of an elicitation: an interval for each set size, contradictions, and a utility.

A bracket is an interval for the value of a hit by a set of a given size.  The answers are
consistent with risk aversion if some concave utility passes through all brackets, which the concave
hull of the lower ends shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._atomic import replacing
from wager._tables import Table, View, Viewed, is_one_of
from wager._typing import Floats
from wager.rewards._bracket import Bracket
from wager.rewards._curve_fit import SLACK, Fit, fit_curve
from wager.rewards._elicited_utilities import ElicitedTable
from wager.rewards._utility import Utility
from wager.rewards._utility_names import write_utility


@dataclass(frozen=True, repr=False)
class Elicited(Viewed):
    """The result of an interview.

    Attributes
    ----------
    n_classes : int
        The number of classes.
    brackets : tuple of Bracket
        An interval for the value of each set size.
    n_questions : int
        The number of questions.
    level : float
        The probability with which an interval contains the value.
    """

    n_classes: int
    brackets: tuple[Bracket, ...]
    n_questions: int
    level: float = 0.95

    @property
    def half_interval(self) -> tuple[float, float] | None:
        """The interval for u(0.5), the value of a set of two; None if it was not asked about."""
        return next((b.interval for b in self.brackets if b.size == 2), None)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Answers that contradict each other, one sentence each."""
        said = [b.contradiction for b in self.brackets if b.contradiction]
        for place, large in enumerate(self.brackets[1:], start=1):
            # the nearest of the smaller sets with the least upper end
            small = min(reversed(self.brackets[:place]), key=lambda bracket: bracket.high)
            if large.low > small.high + SLACK:
                said.append(
                    f"a set of {large.size} classes is worth at least {large.low:.2f} to you, but "
                    f"one of {small.size} at most {small.high:.2f}"
                )
        return tuple(said)

    @property
    def is_concave(self) -> bool:
        """Whether the answers are consistent with risk aversion (or neutrality)."""
        x, low, high = self._knots()
        return bool((_concave_hull(x, low) <= high + SLACK).all())

    def utility(self, kind: str = "tabulated", label: str = "") -> Utility:
        """The utility that the answers describe; its ``half_interval`` is that of u(0.5).

        Parameters
        ----------
        kind : {"tabulated", "quadratic", "exponential"}, default="tabulated"
            A table of values by set size, with linear interpolation in the reward; or the curve
            with one parameter that fits best.
        label : str
            A name, such as that of a file.
        """
        if not is_one_of(kind, ("tabulated",)):
            return replace(self.fit(kind).utility, label=label)  # type: ignore[type-var]
        x, low, high = self._knots()
        best = sorted((1 / b.size, b.value) for b in self.brackets)
        values = np.array([0.0, *(value for _, value in best), 1.0]).round(6)
        if self.is_concave:  # choose concave values within the brackets
            raised = _concave_hull(x, values)
            values = raised if (raised <= high + SLACK).all() else _concave_hull(x, low)
        else:  # a smaller set is worth at least as much, unless the brackets exclude it
            raised = np.maximum.accumulate(values)
            values = raised if (raised <= high + SLACK).all() else values
        sizes = np.arange(1, self.n_classes + 1)
        table = tuple(np.interp(1 / sizes, x, values).tolist())
        return ElicitedTable(table, half_interval=self.half_interval, label=label)

    def fit(self, kind: str) -> Fit:
        """The quadratic or exponential utility that fits best, with an interval.

        Parameters
        ----------
        kind : {"quadratic", "exponential"}
        """
        return fit_curve(kind, self.brackets, self.level)

    def write(
        self, path: str | PathLike[str], kind: str = "tabulated", label: str | None = None
    ) -> None:
        """Write the utility to a TOML file that `get_utility` can read.

        The table is called "elicited:" and the label, by default the name of the file without
        its ending.
        """
        label = re.sub(r"[^\w.-]+", "-", Path(path).stem if label is None else label)
        notes = [f"# elicited by {self.n_questions} questions about {self.n_classes} classes"]
        notes += [
            f"# a set of {b.size} with the right class is worth {b.value:.2f}, between {b.low:.2f} "
            f"and {b.high:.2f} with probability {self.level:g}"
            for b in self.brackets
        ]
        notes += [f"# contradiction: {words}" for words in self.contradictions]
        with replacing(path) as draft:
            write_utility(self.utility(kind, label), draft)
            text = draft.read_text(encoding="utf-8")
            draft.write_text("\n".join([*notes, text]), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        return {
            "n_classes": self.n_classes,
            "n_questions": self.n_questions,
            "level": self.level,
            "brackets": [
                {"size": b.size, "value": b.value, "low": b.low, "high": b.high}
                for b in self.brackets
            ],
            "half_interval": None if self.half_interval is None else list(self.half_interval),
            "contradictions": list(self.contradictions),
            "is_concave": self.is_concave,
        }

    def _view(self) -> View:
        rows = [
            (f"a set of {b.size}", b.value, f"{b.low:.2f} to {b.high:.2f}") for b in self.brackets
        ]
        shape = "consistent" if self.is_concave else "not consistent"
        headers = ["a hit by", "value", f"{100 * self.level:g}% interval"]
        return View(
            tables=[Table(headers, rows, digits=3)],
            verdict=[
                f"your answers are {shape} with risk aversion",
                *(f"contradiction: {words}" for words in self.contradictions),
            ],
        )

    def _knots(self) -> tuple[Floats, Floats, Floats]:
        """Rewards 0, 1/k ..., 1, ascending, and the bounds of their utilities."""
        found = sorted((1 / b.size, b.low, b.high) for b in self.brackets)
        x, low, high = np.array([(0.0, 0.0, 0.0), *found, (1.0, 1.0, 1.0)]).T
        return x, low, high


def _concave_hull(x: Floats, y: Floats) -> Floats:
    """The smallest concave function above the points, evaluated at these points."""
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1 and _turns_up(x, y, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    return np.interp(x, x[kept], y[kept])


def _turns_up(x: Floats, y: Floats, i: int, j: int, k: int) -> bool:
    return bool((y[j] - y[i]) * (x[k] - x[j]) <= (y[k] - y[j]) * (x[j] - x[i]))
