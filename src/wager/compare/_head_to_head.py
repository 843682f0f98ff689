"""Classifiers compared on the same rows: which one earns more, or costs less, and for which users.

Everything is computed from the joint counts of every two classifiers: scores, paired differences
with intervals, break-even points, dominance, and the recommendation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from wager._lazy import late
from wager._tables import RowUnits, View, Viewed, encode_labels, is_one_of, look_up, real_number
from wager._typing import ArrayLike
from wager._visible import brief
from wager.compare import _head_to_head_words as words
from wager.compare._break_even import BENDS, QUADRATIC, BreakEven, break_even
from wager.compare._classifier_names import distinct_names
from wager.compare._cost_comparison import COST, CostComparison, compare_costs
from wager.compare._dominance import dominance
from wager.compare._joint_outcomes import ComparedRows, JointOutcomes
from wager.compare._lead_curves import utility_lead
from wager.compare._match_files import FilePath, match_files
from wager.compare._outcome import Outcome, two_sided
from wager.compare._paired_amounts import PairedAmounts
from wager.compare._pickled import Pickled
from wager.compare._planning import SamplePlan, equivalence, sample_size
from wager.compare._quadratic_line import HIGH, LOW
from wager.compare._recommendation import (
    PairwiseResults,
    Range,
    Tested,
    best_ranges,
    recommend,
    recommend_for,
    recommended,
    verdict_by,
)
from wager.compare._simultaneous import Adjustment, z_value
from wager.compare._utility_families import FAMILIES, family_of
from wager.costs import CostMatrix, ExtendedCosts, costs_for_classes
from wager.rewards import (
    Estimate,
    PairedTally,
    Tally,
    Utility,
    UtilityLike,
    distinct_utilities,
    get_utility,
    shared_classes,
)

_USUAL = ("u50", "u65", "u80")


@dataclass(frozen=True, repr=False)
class HeadToHead(Pickled, Viewed):
    """Several classifiers on the same rows.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    pairs : mapping of (name, name) to PairedTally
        Joint counts of every two, in the order of the names.
    utilities : tuple of Utility
        The utilities under which the classifiers are compared.
    confidence : float
        Level of the intervals.  Those of differences and break-even points, and all tests, hold
        together for all pairs, the given utilities and every u(0.5) from 0.5 to 1, and for the
        costs and every r from 0 to 1: p-values, stars, intervals and sentences are adjusted in the
        same way (`wager.compare._simultaneous`).
    costs : CostComparison, optional
        What the classifiers cost, if costs were given.
    n_rows : int, optional
        The number of rows, or the sum of their counts, where it is known.
    warnings : tuple of str
        What is odd about the predictions, and how many rows were left out.
    rows : ComparedRows, optional
        The rows themselves, which a report shows more of than joint counts contain.
    outcomes : JointOutcomes, optional
        The outcomes of all classifiers together, if they were counted.
    """

    names: tuple[str, ...]
    pairs: Mapping[tuple[str, str], PairedTally]
    utilities: tuple[Any, ...] = _USUAL
    confidence: float = 0.95
    costs: CostComparison | None = None
    n_rows: int | None = None
    warnings: tuple[str, ...] = ()
    rows: ComparedRows | None = field(default=None, compare=False)
    outcomes: JointOutcomes | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not 0 < real_number(self.confidence, "confidence") < 1:
            raise ValueError(f"confidence must lie between 0 and 1, got {brief(self.confidence)}")
        object.__setattr__(self, "utilities", distinct_utilities(self.utilities))
        if not self.utilities and self.costs is None:
            raise ValueError("no utility was given: pass at least one, for example u65")

    # -- counts -------------------------------------------------------------------------------

    @property
    def n(self) -> float:
        """The number of rows, or their total weight."""
        return next(iter(self.pairs.values())).n

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return next(iter(self.pairs.values())).n_classes

    def paired(self, a: str, b: str) -> PairedTally:
        """The joint counts of two classifiers, a first."""
        self._require(a, b)
        return self.pairs[a, b] if (a, b) in self.pairs else self.pairs[b, a].swap()

    def _require(self, a: str, b: str) -> None:
        if (a, b) not in self.pairs and (b, a) not in self.pairs:
            raise ValueError(
                f"{brief(a)} and {brief(b)} are not two of the classifiers that were compared: "
                f"choose from {', '.join(self.names)}"
            )

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        """The tally of each classifier."""
        first = {a: pair.a for (a, _), pair in self.pairs.items()}
        last = {b: pair.b for (_, b), pair in self.pairs.items()}
        return {name: first.get(name) or last[name] for name in self.names}

    # -- results -------------------------------------------------------------------------------

    @property
    def alpha(self) -> float:
        """The level of the report: the chance of any false statement is at most this."""
        return 1 - self.confidence

    def adjustment(
        self, a: str, b: str, utility: UtilityLike | None = None, family: str | None = None
    ) -> Adjustment:
        """How the tests of two classifiers are adjusted for all statements of the report.

        Parameters
        ----------
        a, b : str
            The classifiers.
        utility : utility, optional
            One that need not be among those of the report: its test is adjusted for all utilities
            of its family, or counts as one statement more if it has none.
        family : {"quadratic", "exponential", "fbeta"}, optional
            A family of utilities, for statements about all of them.
        """
        self._require(a, b)
        pair = (a, b) if (a, b) in self.pairs else (b, a)
        if utility is None and family is None:
            return self._adjusted(pair, bool(self.utilities))
        chosen = None if utility is None else get_utility(utility)
        if chosen is not None and chosen not in self.utilities:
            family = family_of(chosen)
            if family is None:
                known = self._adjusted(pair, True)
                return replace(known, n_single=known.n_single + 1)
        if family in (None, "quadratic"):
            return self._adjusted(pair, True)
        return self._along(pair, family)

    @cached_property
    def _adjusted(self) -> Callable[[tuple[str, str], bool], Adjustment]:
        return cache(self._report_adjustment)

    def _report_adjustment(self, pair: tuple[str, str], with_utilities: bool) -> Adjustment:
        """The adjustment for the utilities of the report and every u(0.5), and for the costs."""
        ends = np.array([LOW, HIGH])
        off_line = sum(family_of(u) != "quadratic" for u in self.utilities)
        single, length = 0, 0.0
        if with_utilities:
            single = 1 + off_line
            length = utility_lead(self.pairs[pair], None, QUADRATIC).length(ends)
        if self.costs is not None:
            single += self.costs.n_single
            length += self.costs.length(pair)
        return Adjustment(length, single, len(self.pairs))

    @cached_property
    def _along(self) -> Callable[[tuple[str, str], str], Adjustment]:
        return cache(self._family_adjustment)

    def _family_adjustment(self, pair: tuple[str, str], name: str) -> Adjustment:
        """The adjustment for all pairs and all utilities of another family."""
        family = FAMILIES[name]
        points = np.linspace(*family.ends, BENDS)
        length = utility_lead(self.pairs[pair], None, family).length(points)
        return Adjustment(length, n_pairs=len(self.pairs))

    def score(self, name: str, utility: UtilityLike) -> Estimate:
        """The expected utility of a classifier."""
        chosen, tally = get_utility(utility), look_up(self.tallies, name, "classifier")
        if chosen not in self.utilities:
            return tally.estimate(chosen)
        key = (name, self.utilities.index(chosen))
        if key not in self._scores:
            self._scores[key] = tally.estimate(chosen)
        return self._scores[key]

    @cached_property
    def _scores(self) -> dict[tuple[str, int], Estimate]:
        return {}  # filled as classifiers are asked for

    def difference(self, a: str, b: str, utility: UtilityLike) -> Outcome:
        """How much more a earns than b on the same rows: adjusted test and interval."""
        chosen = get_utility(utility)
        if chosen not in self.utilities:
            return self._test(a, b, chosen)
        key = (a, b, self.utilities.index(chosen))
        if key not in self._tests:
            self._tests[key] = self._test(a, b, chosen)
        return self._tests[key]

    @cached_property
    def _tests(self) -> dict[tuple[str, str, int | str], Outcome]:
        return {}  # filled as pairs are asked for

    def _test(self, a: str, b: str, utility: Utility) -> Outcome:
        found = self.paired(a, b).difference(utility)
        adjustment = self.adjustment(a, b, utility)
        unadjusted = found.p
        p = adjustment.p(unadjusted)
        interval = found.interval(adjustment.level(self.alpha))
        statistic = float(np.sign(found.mean)) * z_value(unadjusted)
        name = utility.name
        verdict = two_sided(p, found.mean, (a, b), self.alpha)
        details = {"utility": name, "n": found.n, "unadjusted_p": unadjusted}
        return Outcome(
            f"paired score test under {name}", statistic, p, found.mean, interval, verdict, details
        )

    def _tested(self, a: str, b: str, utility: UtilityLike) -> Tested:
        """What a verdict needs of `difference`, without its interval."""
        found = self.paired(a, b).difference(utility)
        return Tested(self.adjustment(a, b, utility).p(found.p), found.mean)

    def cost(self, name: str) -> Estimate:
        """The average cost of a classifier, if costs were given."""
        return self._priced.score(name)

    def cost_difference(self, a: str, b: str) -> Outcome:
        """The average cost of a minus that of b on the same rows: adjusted test and interval.

        The verdict says what the cheaper one saves per case.
        """
        return self._priced.difference((a, b), self.adjustment(a, b), self.alpha)

    def cost_break_even(self, a: str, b: str) -> BreakEven | None:
        """The r above which one of the two costs less; None unless costs are p-discounted."""
        key = (COST, a, b, "r")
        if key not in self._even:
            adjustment = self.adjustment(a, b)
            self._even[key] = self._priced.break_even((a, b), self.confidence, adjustment)
        return self._even[key]

    @property
    def _priced(self) -> CostComparison:
        if self.costs is None:
            raise ValueError("the classifiers were compared without costs: pass costs=")
        return self.costs

    def break_even(self, a: str, b: str, family: str = "quadratic") -> BreakEven:
        """The u(0.5), or parameter of another family, above which one of the two is better."""
        key = (family, a, b)
        if key not in self._even:
            self._even[key] = break_even(
                self.paired(a, b),
                family=family,
                names=(a, b),
                confidence=self.confidence,
                adjustment=self.adjustment(a, b, family=family) if family in FAMILIES else None,
            )
        return self._even[key]

    @cached_property
    def _even(self) -> dict[tuple[str, ...], Any]:
        return {}  # filled as pairs are asked for

    def dominance(self, a: str, b: str) -> Outcome:
        """Whether everyone averse to risk prefers one of the two."""
        key = (a, b, "dominance")
        if key not in self._tests:
            self._tests[key] = dominance(
                self.paired(a, b),
                names=(a, b),
                alpha=self.alpha,
                adjustment=self.adjustment(a, b, family="quadratic"),
            )
        return self._tests[key]

    @property
    def criteria(self) -> dict[str, Any]:
        """By what the classifiers are compared, by name: utilities, and ``"average_cost"``."""
        found: dict[str, Any] = {u.name: u for u in self.utilities}
        return found if self.costs is None else found | {COST: COST}

    def _counted(self, a: str, b: str, criterion: Any) -> PairedTally | PairedAmounts:
        """What a plan or a test of equivalence by a criterion is computed from."""
        return self._priced.of_pair(a, b) if is_one_of(criterion, (COST,)) else self.paired(a, b)

    def plan(self, a: str, b: str, criterion: UtilityLike, power: float = 0.8) -> SamplePlan:
        """How many rows decide between two at the adjusted level of this report.

        The criterion is a utility, or ``"average_cost"`` if costs were given.
        """
        return sample_size(
            self._counted(a, b, criterion),
            criterion,
            power=power,
            alpha=1 - self.adjustment(a, b).level(self.alpha),
            names=(a, b),
        )

    def equivalence(self, a: str, b: str, criterion: UtilityLike, margin: float) -> Outcome:
        """Whether two are within a margin of each other, adjusted like the differences."""
        return equivalence(
            self._counted(a, b, criterion),
            criterion,
            margin=margin,
            alpha=self.alpha,
            names=(a, b),
            adjustment=self.adjustment(a, b),
        )

    @cached_property
    def best_ranges(self) -> list[Range]:
        """The best classifier for each u(0.5), in this sample."""
        return best_ranges(self.tallies)

    @cached_property
    def _results(self) -> PairwiseResults:
        return PairwiseResults(
            self.tallies,
            tuple(u.name for u in self.utilities),
            cache(self._lead),
            self.break_even,
            self.dominance,
            self.alpha,
            None if self.costs is None else COST,
            self._is_draw,
        )

    def _is_draw(self, a: str, b: str, criterion: str) -> bool:
        """Whether two cost the same in every row, or under any utility earn the same."""
        if criterion == COST:
            return self._priced.of_pair(a, b).is_draw
        return self.break_even(a, b).is_draw

    def _lead(self, a: str, b: str, criterion: str) -> Outcome:
        """The test under a utility or by costs; a positive effect favours a."""
        if criterion == COST:
            found = self.cost_difference(a, b)
            return replace(found, effect=-found.effect)
        return self.difference(a, b, next(u for u in self.utilities if u.name == criterion))

    def verdict(self, criterion: UtilityLike) -> str:
        """Which classifier to take under one utility, or by ``"average_cost"``, as a sentence.

        The utility need not be among those of the report: see `adjustment`.

        Examples
        --------
        >>> plain, cautious = [0] * 860 + [1] * 140, [[0]] * 600 + [[0, 1]] * 400
        >>> found = head_to_head([0] * 1000, {"ncc": cautious, "nbc": plain})
        >>> found.verdict("u80")
        'under u80, take ncc: it scores higher than nbc'
        >>> found.verdict(0.66)
        'under u66, the data do not distinguish ncc from nbc'
        """
        if isinstance(criterion, str) and criterion == COST:
            return verdict_by(COST, self._results)
        utility = get_utility(criterion)
        found = replace(
            self._results,
            utilities=(utility.name,),
            difference=cache(lambda a, b, _: self._tested(a, b, utility)),
        )
        return verdict_by(utility.name, found)

    @cached_property
    def recommended(self) -> str | None:
        """The classifier that is significantly better than every other one, or None.

        After the adjustment, it is better under every utility of the comparison, and it costs less
        if costs were given.  If costs were given without utilities, the costs alone decide.
        """
        return recommended(self._results)

    @cached_property
    def recommendation(self) -> str:
        """Which classifier to take, as a sentence; with elicited utilities, for their users."""
        advice = [recommend(self._results)]
        for utility in self.utilities:
            interval = getattr(utility, "half_interval", None)
            if interval is not None:
                advice.append(recommend_for(self._results, interval, utility.name))
        return "; ".join(advice)

    @property
    def shown_pairs(self) -> list[tuple[str, str]]:
        """All pairs, in the order of the names."""
        return list(combinations(self.names, 2))

    # -- tables and sentences ------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The classifiers, and the number of rows and classes."""
        return words.title(self)

    @property
    def note(self) -> str:
        """The level of the intervals, the meaning of the star, and the adjustment."""
        return words.note(self)

    def score_table(self) -> words.TextTable:
        """Header and rows: scores with their intervals."""
        return words.score_table(self)

    def difference_table(self) -> words.TextTable:
        """Header and rows: paired differences with intervals and p-values, * if significant."""
        return words.difference_table(self)

    def tables(self) -> list[words.TextTable]:
        """Scores and differences."""
        return [self.score_table(), self.difference_table()]

    def sentences(self) -> list[str]:
        """Savings, break-even and dominance of the shown pairs, as sentences."""
        return words.sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """The whole comparison as plain data."""
        return words.to_dict(self)

    def report(self, path: str | PathLike[str] | None = None, **options: Any) -> Any:
        """An interactive page of the comparison, written to ``path`` if it is given.

        Takes the options of `wager.report.page`, and returns what it returns.
        """
        return late("wager.report", "page")(self, path, **options)

    def _view(self) -> View:
        return words.view(self)


def head_to_head(
    y_true: ArrayLike,
    predictions: Mapping[str, Any],
    utilities: Sequence[UtilityLike] | UtilityLike | None = None,
    *,
    costs: Any = None,
    empty_cost: float | None = None,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> HeadToHead:
    """Compare classifiers on the same rows: scores, differences, break-even points, recommendation.

    Scores and paired differences come with intervals that hold together for all pairs and
    utilities, and the recommendation claims only what they support.

    Use it for classifiers on one test set; `wager compare` prints it.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    predictions : mapping of name to predictions
        At least two classifiers; anything `wager.as_sets` takes.
    utilities : sequence of utility, optional
        The utilities under which the classifiers are compared: by default u50, u65 and u80, and
        none if costs are given.
    costs : CostMatrix, ExtendedCosts, or array of shape (K, K) or (n, K, K), optional
        Compare the average costs, alone or beside the utilities: ``recommended`` is then the one
        that costs significantly less than every other (and is better under every given utility).
        Costs of single classes are extended by ``costs.extend()``, the p-discounted rule with
        r = 0.5; an array with three dimensions holds one matrix per row.
    empty_cost : float, optional
        The cost of an empty set; without it an empty set is an error if costs are given.
    classes, sample_weight, counts, groups
        As in `wager.metrics.evaluate_sets`.
    confidence : float, default=0.95
        Level of the intervals and tests, which hold together for all pairs and utilities.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.

    Examples
    --------
    >>> y = [0] * 1000
    >>> found = head_to_head(
    ...     y, {"ncc": [[0]] * 600 + [[0, 1]] * 400, "nbc": [0] * 860 + [1] * 140}
    ... )
    >>> print(found.recommendation)
    take nbc for u(0.5) below 0.60, ncc for u(0.5) above 0.70; otherwise the data do not
    distinguish the best of them

    By costs, in money:

    >>> from wager.costs import CostMatrix
    >>> euros = CostMatrix([[0, 1], [9, 0]], [0, 1], unit="EUR")
    >>> cautious, plain = [[0]] * 600 + [[0, 1]] * 400, [0] * 860 + [1] * 140
    >>> found = head_to_head(y, {"ncc": cautious, "nbc": plain}, costs=euros)
    >>> found.cost_difference("ncc", "nbc").verdict
    'ncc saves 0.36 EUR per case compared with nbc (0.18 to 0.56)'
    >>> found.recommended
    'ncc'
    """
    if not isinstance(predictions, Mapping):
        raise ValueError(
            "predictions must map the name of each classifier to its predictions, as in "
            f'{{"A": ..., "B": ...}}, got an object of type {type(predictions).__name__}'
        )
    if len(predictions) < 2:
        raise ValueError(f"a comparison needs at least 2 classifiers, got {len(predictions)}")
    distinct_names(predictions)
    shared = shared_classes(y_true, predictions.values(), classes)
    pairs = {
        (a, b): PairedTally.of(
            y_true,
            predictions[a],
            predictions[b],
            shared,
            sample_weight,
            counts=counts,
            groups=groups,
        )
        for a, b in combinations(predictions, 2)
    }
    units = {"sample_weight": sample_weight, "counts": counts, "groups": groups}
    priced = None
    if costs is not None:
        priced = compare_costs(
            y_true, predictions, costs, classes=classes, empty_cost=empty_cost, **units
        )
    elif empty_cost is not None:
        raise ValueError("empty_cost= is the cost of an empty set: pass costs= as well")
    n_rows = len(encode_labels(y_true, shared)[0])
    return HeadToHead(
        tuple(predictions),
        pairs,
        _chosen(utilities, priced is not None),
        confidence,
        priced,
        RowUnits.of(n_rows, sample_weight, counts).observations(n_rows),
        rows=ComparedRows(y_true, predictions, classes, sample_weight, counts, groups).kept(),
    )


def _chosen(utilities: Any, has_costs: bool) -> tuple[Any, ...]:
    """The utilities of a comparison: the usual ones, unless costs alone are to decide."""
    if utilities is None:
        return () if has_costs else _USUAL
    one = isinstance(utilities, str | Utility) or not isinstance(utilities, Iterable)
    return (utilities,) if one else tuple(utilities)


def compare_files(
    paths: Sequence[FilePath],
    utilities: Sequence[UtilityLike] | UtilityLike | None = None,
    *,
    costs: CostMatrix | ExtendedCosts | None = None,
    empty_cost: float | None = None,
    names: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    confidence: float = 0.95,
    **options: Any,
) -> HeadToHead:
    """Compare prediction files of any size on the same rows, matched by ``id`` or by order.

    As `head_to_head`, from counts that are taken in one pass over the files.

    Use it for files that do not fit into memory; `wager compare` calls it.

    Parameters
    ----------
    paths : sequence of path
        At least two prediction files.
    utilities, empty_cost, confidence
        As in `head_to_head`.
    costs : CostMatrix or ExtendedCosts, optional
        As in `head_to_head`; classes are matched by name.
    names, classes, **options
        As in `wager.compare.match_files`.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 9.
    """
    found = match_files(paths, names, classes, by_set=costs is not None, **options)
    priced = None
    if costs is not None:
        named = costs_for_classes(costs, found.classes.tolist(), "the files")
        priced = CostComparison.of_counts(found.joint, named, empty_cost)
    chosen = _chosen(utilities, priced is not None)
    return HeadToHead(
        found.names, found.pairs, chosen, confidence, priced, found.n_rows, found.warnings
    )
