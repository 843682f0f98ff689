"""Comparison of classifiers over many data sets, by their ranks under each utility.

Two classifiers are compared by the signed-rank test, more by Friedman's test and, if it finds a
difference, Nemenyi's test, as in Zaffalon, Corani & Mauá (2012, Section 9) after Demšar (2006).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import ComparedFields, Table, View, Viewed, look_up, require_kind
from wager._typing import Floats
from wager.compare._classifier_names import listed
from wager.compare._friedman import friedman
from wager.compare._outcome import Outcome, check_alpha
from wager.compare._post_hoc_tests import nemenyi
from wager.compare._rank_table import best_names, best_ranked, ranks, read_table
from wager.compare._wilcoxon import wilcoxon


@dataclass(frozen=True, eq=False, repr=False)
class OverDatasets(ComparedFields, Viewed):
    """Scores of classifiers on many data sets under several utilities.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    scores : mapping of utility to array of shape (n_datasets, n_classifiers)
        Their scores; larger is better.
    alpha : float
        Level of the tests.
    """

    names: tuple[str, ...]
    scores: Mapping[str, Floats]
    alpha: float = 0.05

    @property
    def n_datasets(self) -> int:
        """The number of data sets."""
        return len(next(iter(self.scores.values())))

    def mean_ranks(self, utility: str) -> Floats:
        """Mean rank of each classifier; 1 is best."""
        return ranks(look_up(self.scores, utility, "utility")).mean(axis=0)

    def test(self, utility: str) -> Outcome:
        """The signed-rank test for two classifiers, Friedman's test for more."""
        scores = look_up(self.scores, utility, "utility")
        if len(self.names) == 2:
            first, second = self.names
            return wilcoxon(*scores.T, alpha=self.alpha, names=(first, second))
        return friedman(scores, names=self.names, alpha=self.alpha)

    def beaten(self, utility: str) -> list[tuple[str, str]]:
        """(better, worse) for every pair with a significant difference."""
        found = self.test(utility)
        if found.p >= self.alpha:
            return []
        if len(self.names) > 2:
            return nemenyi(
                look_up(self.scores, utility, "utility"), names=self.names, alpha=self.alpha
            ).pairs()
        first, second = self.names
        ahead = found.details["w_plus"] > found.details["w_minus"]
        return [(first, second) if ahead else (second, first)]

    def tables(self) -> list[tuple[list[str], list[list[Any]]]]:
        """Header and rows: mean score and mean rank of each classifier under each utility."""
        heads = ["classifier"]
        columns: list[list[Any]] = [list(self.names)]
        for utility, scores in self.scores.items():
            heads += [utility, "rank"]
            columns += [scores.mean(axis=0).tolist()]
            columns += [[f"{rank:.2f}" for rank in self.mean_ranks(utility)]]
        return [(heads, [list(row) for row in zip(*columns, strict=True)])]

    def sentences(self) -> list[str]:
        """The results of the tests under each utility, as sentences."""
        sentences = []
        for utility in self.scores:
            words = f"{utility}: {self.test(utility).verdict}"
            pairs = self.beaten(utility)
            if len(self.names) > 2 and pairs:
                words += "; " + ", ".join(f"{better} beats {worse}" for better, worse in pairs)
            sentences.append(words)
        return sentences

    @property
    def recommendation(self) -> str:
        """Which classifiers to take under each utility, as a sentence."""
        advice: dict[str, list[str]] = {}
        for utility in self.scores:
            losers = {worse for _, worse in self.beaten(utility)}
            left = [name for name in self.names if name not in losers]
            standing = self.mean_ranks(utility)
            best = best_names(self.names, standing)
            if not losers and np.ptp(standing) == 0:
                words = "take any"
            elif self.test(utility).p >= self.alpha:
                words = f"take any ({best_ranked(self.names, standing)}, not significantly)"
            elif len(left) == 1:
                words = f"take {left[0]}"
            else:
                words = f"take {' or '.join(best)} ({_beside(best, left)})"
            advice.setdefault(words, []).append(utility)
        return "; ".join(f"under {listed(us)} {words}" for words, us in advice.items())

    @property
    def title(self) -> str:
        """The classifiers, and the number of data sets."""
        return f"{listed(self.names)} over {self.n_datasets} data sets"

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain data."""
        return {
            "classifiers": list(self.names),
            "datasets": self.n_datasets,
            "alpha": self.alpha,
            "utilities": {
                utility: {
                    "means": scores.mean(axis=0).tolist(),
                    "mean_ranks": self.mean_ranks(utility).tolist(),
                    "test": self.test(utility).test,
                    "p": self.test(utility).p,
                    "verdict": self.test(utility).verdict,
                    "beaten": [list(pair) for pair in self.beaten(utility)],
                }
                for utility, scores in self.scores.items()
            },
            "recommendation": self.recommendation,
        }

    def _view(self) -> View:
        tables = [Table(*table) for table in self.tables()]
        advice = [f"recommendation: {self.recommendation}"]
        return View(self.title, tables, verdict=advice, sentences=self.sentences())


def _beside(best: Sequence[str], left: Sequence[str]) -> str:
    """What to say about those that rank best, and the others that are not beaten."""
    near = [name for name in left if name not in best]
    words = ["they rank best"] if len(best) > 1 else []
    if near:
        words.append(f"{listed(near)} {'is' if len(near) == 1 else 'are'} not significantly worse")
    return "; ".join(words)


def over_datasets(
    scores: Mapping[str, Any], *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> OverDatasets:
    """Compare classifiers over data sets under several utilities, by their ranks.

    Friedman's and Nemenyi's tests of the mean ranks, or the signed-rank test for two classifiers.

    Use it for the results of a run over several data sets; `wager compare FOLDER` prints it.

    Parameters
    ----------
    scores : mapping of utility to array-like or DataFrame of shape (n_datasets, n_classifiers)
        The same data sets and classifiers in each; larger is better.
    names : sequence of str, optional
        The classifiers; a frame's columns by default, which the same names in another order choose.
    alpha : float, default=0.05
        Level of the tests.

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> scores = [[.9, .8, .5], [.8, .7, .6], [.9, .7, .5], [.7, .6, .5], [.9, .8, .4]]
    >>> print(over_datasets({"u65": scores}, names=["a", "b", "c"]).recommendation)
    under u65 take a (b is not significantly worse)
    """
    check_alpha(alpha)
    require_kind(scores, "scores", Mapping)
    if not scores:
        raise ValueError("no utility was given: pass a table of scores for at least one")
    tables: dict[str, Floats] = {}
    known: list[str] | None = None
    for utility, entry in scores.items():
        values, named = read_table(entry, names, "a comparison over data sets")
        if len(named) < 2:
            raise ValueError(f"a comparison needs at least 2 classifiers, got {len(named)}")
        if known is not None and (
            named != known or len(values) != len(next(iter(tables.values())))
        ):
            raise ValueError(
                f"the table of {utility} has different classifiers or data sets: give the same for "
                "each "
                "utility"
            )
        known = named
        tables[utility] = values.copy()
    assert known is not None
    return OverDatasets(tuple(known), tables, alpha)
