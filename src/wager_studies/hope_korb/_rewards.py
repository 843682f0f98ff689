"""Rewards for predicted probabilities: what they pay, and whether they encourage honesty.

Hope & Korb (2004), Sections 3 and 4: Figure 1, Theorem 1, and the claims about Good's reward, that
of Kononenko & Bratko, the information reward of 2002 (IR) and the one of 2004 (IR_B).  A report is
a predicted probability distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import e
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import ArrayLike, Floats
from wager.experiments.study import Claim, Findings, Study, StudyTable, listed
from wager.rewards import (
    good_reward,
    information_reward,
    information_reward_2002,
    information_reward_bound,
    kononenko_bratko,
)
from wager_studies._draws import draws

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNIFORM, SKEWED = (1 / 3, 1 / 3, 1 / 3), (0.1, 0.45, 0.45)  # the priors of Figures 1a and 1b
REWARDS: dict[str, Callable[..., Any]] = {
    "Good": lambda y, p, prior, **how: good_reward(y, p, **how),
    "KB": kononenko_bratko,
    "IR": lambda y, p, prior, base=2.0, **how: information_reward_2002(y, p, prior, **how),
    "IR_B": information_reward,
}
REPORTS = (0.05, 0.1, 1 / 3, 0.5, 0.9, 0.99)
GRID = np.arange(1, 1000) / 1000


def paid(name: str, proba: ArrayLike, truth: ArrayLike, prior: ArrayLike, **how: Any) -> Floats:
    """What each report earns, given the true class of its row."""
    table = np.atleast_2d(np.asarray(proba, dtype=float))
    codes = np.arange(table.shape[1])
    return REWARDS[name](truth, table, prior, classes=codes, per_row=True, **how)


def expected(name: str, proba: ArrayLike, f: ArrayLike, prior: ArrayLike) -> float:
    """The mean reward of a report when the classes have frequencies f."""
    (mean,) = expected_of_each(name, [proba], f, prior)
    return mean


def expected_of_each(
    name: str, reports: Sequence[ArrayLike], f: ArrayLike, prior: ArrayLike
) -> list[float]:
    """The mean rewards of several reports when the classes have frequencies f."""
    shares = np.asarray(f, dtype=float)
    rows = np.repeat(np.asarray(reports, dtype=float), len(shares), axis=0)
    truth = np.tile(np.arange(len(shares)), len(reports))
    earned = paid(name, rows, truth, prior).reshape(len(reports), len(shares))
    return [float(shares @ each) for each in earned]


def best_report(f: float, prior: float) -> float:
    """The report for the first of two classes that earns most under IR (Eq. 9 of the paper).

    Examples
    --------
    >>> round(best_report(0.1, 0.1), 5), best_report(0.3, 0.5)
    (0.00506, 0.3)
    """
    first, second = f * np.log1p(-prior), (1 - f) * np.log(prior)
    return round(float(first / (first + second)), 12)


def found_report(name: str, f: Sequence[float], prior: ArrayLike) -> Floats:
    """The report with the largest mean reward, found by numerical search."""
    from scipy.optimize import minimize
    from scipy.special import softmax

    start = np.zeros(len(f))  # the uniform distribution
    found = minimize(lambda x: -expected(name, softmax(x), f, prior), start, method="Nelder-Mead",
                     options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000})  # fmt: skip
    return softmax(found.x)


def _analyse(seed: int | None) -> Findings:
    return {
        "tables": [_paid_table(), _hedging_table()],
        "claims": [
            *_claims_on_good(),
            *_claims_on_kb(),
            *_claims_on_2002(),
            *_claims_on_2004(seed),
        ],
        "figures": {"Figure 1": _draw_figure_1, "Best report under IR": _draw_best},
        "notes": NOTES,
    }


NOTES = (
    "Logarithms are to base 2: the paper does not give the base, but only then do the two "
    "curves of Figure 1a nearly coincide.",
    "Most claims here are mathematics: they are checked exactly or on a fine grid, so their "
    "evidence has no interval. Eq. (7) is exact, not an approximation, when f is the frequency in "
    "the test set. KB's Eqs (3a) and (3b) are used as printed, which agrees with Kononenko & "
    'Bratko (1991). Section 3.3 takes the prior from "the test set given to the machine learner"; '
    "a learner is given training data, and these are used everywhere here.",
)


def _reports(p: ArrayLike, n_classes: int) -> Floats:
    """Reports with these probabilities of the first class and equal ones of the others."""
    first = np.asarray(p, dtype=float)[:, None]
    return np.hstack([first, np.repeat((1 - first) / (n_classes - 1), n_classes - 1, axis=1)])


def _paid_table() -> StudyTable:
    rows = []
    for figure, prior in (("1a", UNIFORM), ("1b", SKEWED)):
        table = _reports(REPORTS, 3)
        columns = [paid(name, table, np.zeros(len(table), int), prior) for name in REWARDS]
        rows += [(figure, p, *(_clean(c[i]) for c in columns[1:])) for i, p in enumerate(REPORTS)]
    headers = ("figure", "reported for the true class", "KB", "IR", "IR_B")
    return StudyTable("What a report earns (bits)", headers, rows, digits=3)


def _hedging_table() -> StudyTable:
    rows = []
    for f, p in ((0.1, 0.1), (0.3, 0.1), (0.5, 0.1), (0.3, 0.3), (0.5, 0.3), (0.3, 0.5)):
        best, truth, prior = best_report(f, p), (f, 1 - f), (p, 1 - p)
        rows.append(
            (
                f,
                p,
                best,
                expected("IR", (best, 1 - best), truth, prior),
                _clean(expected("IR", truth, truth, prior)),
                float(found_report("IR_B", truth, prior)[0]),
                _clean(expected("IR_B", truth, truth, prior)),
            )
        )
    headers = ("frequency f", "prior p", "best report for IR", "earns", "honest report earns",
               "best report for IR_B", "earns (bits)")  # fmt: skip
    return StudyTable("Hedging: the report that earns most, two classes", headers, rows, digits=4)


def _claims_on_good() -> Iterator[Claim]:
    sure = paid("Good", [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], [0, 0, 1], (0.5, 0.5))
    yield Claim.checked(
        "2004, 3.1",
        "Good's reward is always below 1",
        bool((paid("Good", _reports(GRID, 2), np.zeros(len(GRID), int), (0.5, 0.5)) < 1).all()),
        f"below 1 for {len(GRID)} reports from {GRID[0]:g} to {GRID[-1]:g}; certainty in the true "
        f"class earns {sure[0]:g}, so with it the range is (-inf, 1]",
        "IR has the range",
        "probabilities below 1, as the open interval says",
    )
    yield Claim.checked(
        "2004, 3.1",
        "a report of 0.5 earns nothing",
        bool((sure[1:] == 0).all()),
        f"{sure[1]:g} if true and {sure[2]:g} if not, exactly",
        "thus receives a zero reward",
    )
    lazy = {name: _clean(expected(name, *3 * [(0.1, 0.9)])) for name in REWARDS}
    others = {name: value for name, value in lazy.items() if name != "Good"}
    yield Claim.checked(
        "2004, 3.3",
        "a report of 0.9 for what happens 9 times in 10 earns 0.531 under Good; it should earn 0",
        abs(lazy["Good"] - 0.531) < 5e-4 and not any(others.values()),
        f"Good {lazy['Good']:.4f}; "
        + ", ".join(f"{name} {value:.4f}" for name, value in others.items()),
        "The expected reward per patient we should like to see is 0",
    )
    report = [[0.4, 0.3, 0.3]]
    earned = {name: float(paid(name, report, [0], UNIFORM)[0]) for name in ("Good", "IR_B")}
    yield Claim.checked(
        "2004, 3.3",
        "with several classes, Good punishes a correct report below 0.5 even above the prior",
        earned["Good"] < 0 < earned["IR_B"],
        f"0.4 for the true one of three classes: {earned['Good']:.3f}; IR_B {earned['IR_B']:.3f}",
        "prediction with confidence less than 0.5 is penalized",
    )


def _claims_on_kb() -> Iterator[Claim]:
    def gap(prior: Sequence[float]) -> float:
        """The sum of a certain hit and a certain miss, both for the first class."""
        sure = np.tile(np.eye(len(prior))[0], (2, 1))
        return float(paid("KB", sure, [0, 1], prior).sum())

    two, three = max(abs(gap((p, 1 - p))) for p in GRID), gap((0.5, 0.3, 0.2))
    yield Claim.checked(
        "2004, 3.2",
        "under KB a certain hit and a certain miss cancel exactly",
        two < 1e-12,
        f"for two classes the sum is 0 for each of {len(GRID)} priors; for three classes it is "
        f"{three:.3f} bits with the prior (0.5, 0.3, 0.2)",
        "ought precisely to counterbalance",
        "two classes; with more it is false",
    )
    slopes = {p: _slopes(p) for p in (1 / 3, 0.1)}
    yield Claim.checked(
        "2004, 4, Fig. 1",
        "KB has a kink where the report equals the prior",
        all(abs(before - after) > 1 for before, after in slopes.values()),
        "slopes below and above it: "
        + ", ".join(f"{a:.2f} and {b:.2f} (prior {p:.2g})" for p, (a, b) in slopes.items()),
        "Note the kink in the KB metric",
    )
    twin = paid("KB", [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]], [0, 0], UNIFORM)
    ours = paid("IR_B", [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]], [0, 0], UNIFORM)
    yield Claim.checked(
        "2004, 3.2",
        "KB ignores the probabilities of the wrong classes",
        bool(twin[0] == twin[1] and ours[0] != ours[1]),
        f"(0.5, 0.25, 0.25) and (0.5, 0.5, 0) earn {twin[0]:.3f} and {twin[1]:.3f}; by IR_B "
        f"{ours[0]:.3f} and {ours[1]:.3f}",
        "a miscalibrated assessment of the alternative classes will go unpunished",
    )
    truth = (0.6, 0.3, 0.1)
    found = found_report("KB", truth, UNIFORM)
    yield Claim.checked(
        "2004, 3.2",
        "under KB the report with no divergence from the truth does not earn most",
        float(np.abs(found - truth).max()) > 0.01,
        f"truth (0.6, 0.3, 0.1), uniform prior: best report ({_list(found.round(6))})",
        "KLD fails to be minimized",
    )


def _slopes(prior: float, step: float = 1e-6) -> Floats:
    """The slopes of KB just below and just above the prior, for three classes."""
    reports = _reports([prior - step, prior, prior + step], 3)
    before = (prior, (1 - prior) / 2, (1 - prior) / 2)
    return np.diff(paid("KB", reports, [0, 0, 0], before)) / step


def _claims_on_2002() -> Iterator[Claim]:
    cases = [(f, p) for f in (0.1, 0.3, 0.5, 0.8) for p in (0.1, 0.3, 0.5, 0.7)]
    off = [abs(found_report("IR", (f, 1 - f), (p, 1 - p))[0] - best_report(f, p)) for f, p in cases]
    best = best_report(0.1, 0.1)
    earned = expected("IR", (best, 1 - best), (0.1, 0.9), (0.1, 0.9))
    yield Claim.checked(
        "2004, 3.3, Thm 1",
        "IR is not necessarily largest for the report that equals the frequency",
        abs(best - 0.1) > 0.01 and max(off) < 1e-5,
        f"moreover, with prior and frequency both 0.1 the best report is {best:.5f} and "
        f"earns {earned:.3f} instead of 0; Eq. (9) and a numerical search agree within "
        f"{max(off):.0e} on {len(cases)} cases",
        "is not necessarily maximal when",
    )
    honest = [p for p in GRID if abs(best_report(0.3, float(p)) - 0.3) < 1e-9]
    yield Claim.checked(
        "2004, 3.3",
        "only with a prior of 0.5 is honesty best under IR",
        honest == [0.5],
        f"of {len(GRID)} priors, with frequency 0.3, honesty is best for {_list(honest)}",
        "is if p is 0.5, i.e., under a uniform prior",
    )


def _claims_on_2004(seed: int | None) -> Iterator[Claim]:
    priors = draws(0, seed).dirichlet(np.ones(4), 200)
    zero = max(float(np.abs(paid("IR_B", np.tile(p, (4, 1)), range(4), p)).max()) for p in priors)
    yield Claim.checked(
        "2004, 4",
        "IR_B is 0 for a report that equals the prior",
        zero < 1e-12,
        f"200 priors of four classes: at most {zero:.0e}, rounding of doubles",
        "the reward is 0",
    )
    pairs = list(zip(priors[:20], priors[20:40], strict=True))
    off = max(float(np.abs(found_report("IR_B", f, p) - f).max()) for f, p in pairs)
    lost = max(
        earned - honest
        for f, p in pairs
        for honest, *others in [expected_of_each("IR_B", [f, *priors[40:]], f, p)]
        for earned in others
    )
    yield Claim.checked(
        "2004, 4",
        "correct probabilities are rewarded maximally in the long run",
        off < 1e-3 and lost < 0,
        f"20 truths and priors of four classes: a numerical search ends at most "
        f"{off:.0e} from the truth, and none of {len(pairs) * 160:,} other reports earns as much",
        "correct probabilities are now rewarded maximally in the long run",
    )
    prior = (0.2, 0.3, 0.5)
    bounds = information_reward_bound(prior, [0, 1, 2])
    corner = paid("IR_B", np.eye(3), [0, 1, 2], prior)
    drawn = draws(1, seed).dirichlet(np.full(3, 0.3), 1000)
    earned = [float(paid("IR_B", drawn, np.full(len(drawn), c), prior).max()) for c in range(3)]
    yield Claim.checked(
        "2004, 4",
        "IR_B is bounded above, as priors are never 0",
        bool(np.allclose(corner, bounds) and (np.array(earned) <= bounds).all()),
        f"prior (0.2, 0.3, 0.5): at most {_list(bounds)} bits, reached by certainty and "
        f"by none of {len(drawn):,} other reports ({_list(earned)}); of two or more positive "
        "priors none is 1, which the bound needs as well",
        "the measure is finitely bounded in the positive direction",
    )
    worst = paid("IR_B", np.eye(3)[[1]], [0], prior)[0]
    yield Claim.checked(
        "2004, 4",
        "misplaced certainty earns minus infinity",
        bool(np.isneginf(worst)),
        f"{worst} for probability 0 of the true class",
        "warrants an infinite negative reward",
    )
    apart = {
        (prior, base): _mean_distance(prior, base)
        for prior in (UNIFORM, SKEWED)
        for base in (2.0, e)
    }
    near, far = apart[UNIFORM, 2.0], apart[SKEWED, 2.0]
    yield Claim.checked(
        "2004, 4, Fig. 1a",
        "with the uniform prior IR and IR_B are nearly indistinguishable",
        near < 0.1,
        f"mean distance {near:.3f} with logarithms to base 2, {apart[UNIFORM, e]:.3f} with natural "
        "ones, over reports from 0.05 to 0.95",
        "nearly indistinguishable given the uniform prior",
        "logarithms to base 2; the paper does not give the base",
    )
    yield Claim.checked(
        "2004, 4, Fig. 1b",
        "with the prior (0.1, 0.45, 0.45) IR is far from the others",
        far > 5 * near,
        f"mean distance from IR_B {far:.3f} bits ({apart[SKEWED, e]:.3f} with natural logarithms), "
        f"with the uniform prior {near:.3f}",
        "IR diverges radically from typical information measures",
        "logarithms to base 2, as for Figure 1a",
    )


def _mean_distance(prior: Sequence[float], base: float) -> float:
    """The mean distance between IR and IR_B over the reports shown in Figure 1."""
    shown = GRID[(GRID >= 0.05) & (GRID <= 0.95)]
    table, truth = _reports(shown, 3), np.zeros(len(shown), int)
    both = paid("IR_B", table, truth, prior, base=base) - paid("IR", table, truth, prior)
    return float(np.abs(both).mean())


def _clean(value: float) -> float:
    """The number without rounding errors."""
    return round(float(value), 12) + 0.0


def _list(values: Any) -> str:
    return listed(f"{value:.3g}" for value in values)


def _draw_figure_1() -> Figure:
    from wager.plots import plain_figure, plot_reward_curves

    figure = plain_figure((9.0, 4.0))
    panels = zip(figure.subplots(1, 2), (UNIFORM, SKEWED), "ab", strict=True)
    for ax, prior, letter in panels:
        plot_reward_curves(prior, ax=ax)
        ax.set_title(f"({letter}) {ax.get_title()}")
        legend = ax.get_legend()
        if letter == "b" and legend is not None:
            legend.remove()  # it would cover a curve, and repeats that of the first panel
    return figure


def _draw_best() -> Figure:
    from wager.plots import plain_figure, series_colour, series_line, style_axes

    figure = plain_figure((5.4, 4.2))
    ax = figure.subplots()
    for i, p in enumerate((0.1, 0.3, 0.5, 0.7)):
        best = [best_report(float(f), p) for f in GRID]
        label = f"IR, prior {p}" + " (honest)" * (p == 0.5)
        ax.plot(GRID, best, series_line(i), color=series_colour(i), label=label)
    ax.set(xlabel="true frequency of the class", ylabel="report that earns most",
           title="IR_B rewards honesty, IR only if the prior is 0.5")  # fmt: skip
    ax.legend(frameon=False)
    style_axes(ax)
    return figure


STUDY = Study(
    "hope-korb-rewards",
    "Hope & Korb (2004), Sections 3 and 4",
    "What rewards for probabilities pay, and which of them encourage honesty: Figure 1, Theorem 1.",
    _analyse,
    title="Which rewards for probabilities encourage honesty",
    minutes=0.11,
    page="hope-korb-2004",
)
