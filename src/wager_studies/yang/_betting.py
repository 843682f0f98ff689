"""What a set costs by the betting game of Zaffalon, Corani & Mauá, if errors differ in cost.

Zaffalon, Corani & Mauá (2012, Theorem 1) let a bettor mix the classes of a set while House chooses
their chances; with 0/1 rewards the bettor secures 1/k.  Yang, Destercke & Masson (2017, Section
VIII) call an extension of this to general costs a desirable complement.  The value of the game with
the costs of the set's classes is such an extension: what a bettor who knows only the set must
expect to pay, whatever the chances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from wager._typing import Floats
from wager.costs import CostMatrix, ExtendedCosts
from wager.experiments.study import Finding, Findings, Study, StudyTable, listed
from wager.rewards import game_value, get_utility
from wager_studies.yang._matrices import Case, Kind, usual
from wager_studies.yang._properties import NUMBERS, Search

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OBSTACLES = CostMatrix([[0, 1, 2], [1, 0, 2], [4, 4, 0]], ["h", "b", "n"])
METHOD = (
    "The bettor mixes the classes of a set, House chooses which of them is true: the value of that "
    "game is the smallest expected cost that a mixture secures. With 0/1 costs it is 1 - 1/k, the "
    "discounted accuracy. It is extended to all true classes by what the optimal mixture costs if "
    "a class outside the set is true. Rewarded by u65, the value is reduced by the factor "
    "(1 - u65(1/k))/(1 - 1/k), so that 0/1 costs give the utility-discounted accuracy. Properties "
    "are those of Yang, Destercke & Masson (2017), on the matrices of the study of their tables. "
    "Where several mixtures are optimal, the one that the linear program finds is used."
)


@dataclass(frozen=True)
class Bet:
    """The game on one set: its classes, the value, the mixture, and the costs of single classes."""

    kind: str
    labels: tuple[str, ...]
    costs: Floats  # (K, K), all classes
    members: list[int]

    @cached_property
    def mixture(self) -> Floats:
        """The weights of the set's classes that secure the value."""
        return game_value(-self._inside).bet

    @cached_property
    def value(self) -> float:
        """The expected cost that the mixture secures."""
        return float((self.mixture @ self._inside).max())

    @property
    def _inside(self) -> Floats:
        return self.costs[np.ix_(self.members, self.members)]

    @property
    def uniform(self) -> float:
        """The expected cost that the uniform mixture secures."""
        return float(self._inside.mean(axis=0).max())

    def row(self, factor: float = 1.0) -> Floats:
        """The cost of the set for each true class."""
        outside = self.mixture @ self.costs[self.members]
        inside = np.isin(np.arange(len(self.costs)), self.members)
        return np.where(inside, factor * self.value, outside)


def _bets(kind: Kind) -> list[Bet]:
    costs = kind.costs
    labels = [set_ for set_ in costs.extend("discounted").subsets() if len(set_) > 1]
    order = {label: i for i, label in enumerate(costs.classes.tolist())}
    return [Bet(kind.name, each, costs.costs, [order[c] for c in each]) for each in labels]


def every_bet(seed: int | None = None) -> list[Bet]:
    """The games on all sets of all matrices of the study."""
    return [bet for kind in usual(OBSTACLES, seed) for bet in _bets(kind)]


def _factor(k: int, utility: str | None) -> float:
    return 1.0 if utility is None else float((1 - get_utility(utility)(1 / k)) / (1 - 1 / k))


def _extend(costs: CostMatrix, bets: list[Bet], utility: str | None) -> ExtendedCosts:
    """The costs of sets by the game, rewarded by a utility or not."""
    return costs.extend({
        bet.labels: dict(zip(costs.classes.tolist(), bet.row(_factor(len(bet.members), utility)),
                             strict=True))
        for bet in bets
    })  # fmt: skip


def _analyse(seed: int | None) -> Findings:
    kinds = usual(OBSTACLES, seed)
    bets = {i: _bets(kind) for i, kind in enumerate(kinds)}
    plain, rewarded = (
        Search(
            name,
            [Case(k.name, _extend(k.costs, bets[i], utility)) for i, k in enumerate(kinds)],
        )
        for name, utility in (("game", None), ("game, rewarded by u65", "u65"))
    )
    own = _bets(Kind("Table I", OBSTACLES))
    every = [bet for each in bets.values() for bet in each]
    return {
        "tables": [
            StudyTable(
                "Sets of Table I by the game",
                ("set", "cost by the game", "secured by the uniform bet", "mixture"),
                [
                    ("{" + ", ".join(bet.labels) + "}", bet.value, bet.uniform,
                     ", ".join(f"{label} {weight:.3f}" for label, weight
                               in zip(bet.labels, bet.mixture, strict=True)))
                    for bet in own
                ],
                digits=3,
            ),
            StudyTable(
                "How many matrices have Properties 1 to 10",
                ("extension", "matrices", *(str(n) for n in NUMBERS)),
                [search.row() for search in (plain, rewarded)],
            ),
        ],
        "findings": list(_findings(every, own, plain, rewarded)),
        "figures": {"What a bet secures": partial(draw, every)},
        "notes": [METHOD],
    }  # fmt: skip


def _findings(
    every: list[Bet], own: list[Bet], plain: Search, rewarded: Search
) -> Iterator[Finding]:
    zero_one = [bet for bet in every if bet.kind == "zero-one"]
    theorem = max(abs(bet.value - (1 - 1 / len(bet.members))) for bet in zero_one)
    yield Finding(
        "What does a set cost by the betting game if errors differ in cost?",
        "the value of a linear program; for 0/1 costs 1 - 1/k, as in Theorem 1",
        "; ".join(f"{{{', '.join(bet.labels)}}} {bet.value:.3f}" for bet in own)
        + f" (Table I); largest difference from 1 - 1/k on {len(zero_one)} sets with 0/1 costs: "
        f"{theorem:.1g}",
    )
    even = [bet for bet in every if bet.uniform <= bet.value + 1e-9 * max(1.0, bet.value)]
    excess = np.array([100 * (bet.uniform / bet.value - 1) for bet in every])
    yield Finding(
        "Is the uniform bet, behind the mean cost of Definition 3, still optimal?",
        "seldom" if 2 * len(even) < len(every) else "often",
        f"it secures the value on {len(even)} of {len(every)} sets; elsewhere it "
        f"may cost {np.median(excess[excess > 1e-7]):.0f}% more in the median and "
        f"{excess.max():.0f}% at most",
    )
    yield Finding(
        "Which properties have costs by the game?",
        _always_and_never(plain),
        f"{_counts(plain)}. No set is ever possible, as in Proposition 1 of Yang et al.: whatever "
        "the probabilities, the mixture costs at most as much as the set, and so does one of its "
        "classes",
    )
    yield Finding(
        "And if caution is rewarded as by u65?",
        _always_and_never(rewarded),
        f"{_counts(rewarded)}; every property that filtering needs holds for "
        f"{rewarded.fits('filtering')} matrices, every one that choice needs for "
        f"{rewarded.fits('choice')}. Property 3 fails first for {rewarded.counterexample(3)}: a "
        "cost that is the same for every class of the set is too high for the class whose errors "
        "are cheap",
    )


def _always_and_never(search: Search) -> str:
    always = [str(n) for n in NUMBERS if search.always(n)]
    never = [str(n) for n in NUMBERS if search.count(n) == 0]
    return f"always {listed(always)}; never {listed(never)}; the others depend on the matrix"


def _counts(search: Search) -> str:
    each = ", ".join(f"Property {n} {search.count(n)}" for n in NUMBERS)
    return f"of {search.n} matrices {each}"


def draw(every: list[Bet]) -> Figure:
    """What the optimal and the uniform bet secure, by the size of the set."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    figure = plain_figure((5.4, 4.2))
    ax = figure.subplots()
    top = 1.05 * max(bet.uniform for bet in every)
    ax.plot([0, top], [0, top], color="0.6", linewidth=0.8)
    for i, k in enumerate(sorted({len(bet.members) for bet in every})):
        here = [bet for bet in every if len(bet.members) == k]
        ax.scatter(
            [bet.value for bet in here], [bet.uniform for bet in here], s=14, alpha=0.6,
            color=series_colour(i), marker=series_marker(i), label=f"{k} classes",
            rasterized=True,  # hundreds of points would make a large file
        )  # fmt: skip
    ax.set(xlabel="cost that the optimal bet secures", ylabel="that the uniform bet secures")
    ax.legend(frameon=False, title="set of")
    style_axes(ax)
    return figure


STUDY = Study(
    "betting-general-costs",
    "Beyond the papers, after Section VIII of Yang, Destercke & Masson (2017)",
    "What a set costs by the betting game of Zaffalon, Corani & Mauá (2012) if errors differ in "
    "cost, and which properties such costs have.",
    _analyse,
    title="Betting on sets when errors differ in cost",
    minutes=0.2,
    page="findings",
)
