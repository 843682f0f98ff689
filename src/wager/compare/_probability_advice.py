"""What a comparison of probabilities says in words: only what its tests support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from wager.compare._classifier_names import listed
from wager.compare._outcome import Outcome
from wager.compare._paired_probabilities import get_score, score_title


@dataclass(frozen=True)
class ProbabilityResults:
    """The results that the words need.

    Parameters
    ----------
    names : sequence of str
        The classifiers.
    differences : mapping of (name, name, score) to Outcome
        The adjusted tests of every two, in the order of the names.
    infinite : mapping of (name, score) to int
        The number of rows in which a score is infinite.
    unbounded : set of str
        The scores without a limit, which a rare large loss could change.
    alpha : float
        The level of the report.
    deciding : sequence of str
        The scores that decide together.
    unit : {"row", "cluster"}, default="row"
        What the sums of the tests are known of: within clusters, differences may cancel.
    """

    names: Sequence[str]
    differences: Mapping[tuple[str, str, str], Outcome]
    infinite: Mapping[tuple[str, str], int]
    unbounded: frozenset[str]
    alpha: float
    deciding: Sequence[str]
    unit: str = "row"

    @property
    def scores(self) -> list[str]:
        """All scores of the comparison."""
        return list(dict.fromkeys(score for *_, score in self.differences))

    def better(self, a: str, b: str, score: str) -> str | None:
        """The one of the two with the significantly better score; None if neither."""
        first, second = (a, b) if (a, b, score) in self.differences else (b, a)
        found = self.differences[first, second, score]
        if not found.p < self.alpha or found.effect == 0:
            return None
        return first if (found.effect > 0) == get_score(score).greater_is_better else second

    def others(self, name: str) -> list[str]:
        """The other classifiers."""
        return [other for other in self.names if other != name]

    def sentences(self) -> list[str]:
        """What differs between every two, and what the results depend on."""
        found = [self._pair(a, b) for a, b in combinations(self.names, 2)]
        return [*found, *self._infinite_words(), *self._caution()]

    def _pair(self, a: str, b: str) -> str:
        parts = []
        for name in (a, b):
            won = [s for s in self.scores if self.better(a, b, s) == name]
            if won:
                parts.append(f"{name} has the better {listed(map(short_title, won))}")
        tested = [s for s in self.scores if not self._undefined(a, b, s)]
        equal = [s for s in tested if self.better(a, b, s) is None]
        if equal:
            parts.append(f"no significant difference in {listed(map(short_title, equal))}")
        return f"{a} and {b}: {'; '.join(parts) if parts else 'no difference is defined'}"

    def _undefined(self, a: str, b: str, score: str) -> bool:
        return any(self.infinite[name, score] for name in (a, b))

    def _infinite_words(self) -> list[str]:
        """Which scores are infinite, and what to do about them."""
        words = []
        for name in self.names:
            lost = {s: self.infinite[name, s] for s in self.scores if self.infinite[name, s]}
            if lost:
                rows = max(lost.values())
                many = f"{rows:,} row{'' if rows == 1 else 's'}"
                verb = "is" if len(lost) == 1 else "are"
                words.append(
                    f"{listed(map(short_title, lost))} of {name} {verb} infinite, because it is "
                    f"certain and wrong in {many}, so that no difference is defined: pass "
                    "clip=1e-6 (--clip 1e-6)"
                )
        return words

    def _caution(self) -> list[str]:
        """That scores without a limit may change, if something is claimed about them."""
        pairs = list(combinations(self.names, 2))
        claimed = [
            score
            for score in self.scores
            if score in self.unbounded and any(self.better(a, b, score) for a, b in pairs)
        ]
        if not claimed:
            return []
        verb = "has" if len(claimed) == 1 else "have"
        return [
            f"{listed(map(short_title, claimed))} {verb} no limit: a rare large loss that is not "
            "among these rows could change the result; clip=1e-6 (--clip 1e-6) gives tests that "
            "allow for it"
        ]


def winner(found: ProbabilityResults) -> str | None:
    """The classifier that is significantly better than every other by every deciding score."""
    for name in found.names:
        if all(
            found.better(name, other, score) == name
            for other in found.others(name)
            for score in found.deciding
        ):
            return name
    return None


def advise(found: ProbabilityResults) -> str:
    """The classifier to take, or why the data do not say."""
    best, titles = winner(found), listed(map(short_title, found.deciding))
    if best is not None:
        where = "in these rows " if found.unbounded & set(found.deciding) else ""
        return (
            f"take {best}: {where}its {titles} are better than those of "
            f"{listed(found.others(best))}"
        )
    if len(found.names) == 2:
        return _advise_on_two(found)
    return (
        f"no classifier is significantly better than every other one in {titles}: compare two, or "
        "decide by the score that matters to you"
    )


def _advise_on_two(found: ProbabilityResults) -> str:
    a, b = found.names
    leads = {score: found.better(a, b, score) for score in found.deciding}
    lost = [s for s in found.deciding if any(found.infinite[name, s] for name in (a, b))]
    if lost:
        return (
            f"none, because {listed(map(short_title, lost))} cannot be compared: pass clip=1e-6 "
            "(--clip 1e-6), or decide by the other scores"
        )
    ahead = [name for name in (a, b) if name in leads.values()]
    if all(found.differences[a, b, score].details["is_draw"] for score in found.scores):
        return f"{a} and {b} score the same in every {found.unit}: take either"
    if not ahead:
        return f"the data do not distinguish {a} from {b}: collect more rows, or take either"
    parts = [
        f"{name} for {listed(short_title(s) for s, lead in leads.items() if lead == name)}"
        for name in ahead
    ]
    if len(ahead) == 2:
        return f"take {', '.join(parts)}: the scores do not agree on one of the two"
    rest = listed(short_title(s) for s, lead in leads.items() if lead is None)
    return f"take {parts[0]}; the data do not distinguish {a} from {b} by {rest}"


def short_title(score: str) -> str:
    """The name of a score in a table or a sentence; there is only one information reward here.

    Examples
    --------
    >>> short_title("information_reward"), short_title("brier")
    ('information reward', 'Brier score')
    """
    return score_title(get_score(score)).removesuffix(" 2004")
