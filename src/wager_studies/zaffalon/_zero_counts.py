"""The restricted imprecise Dirichlet model against zero counts.

Zaffalon, Corani & Mauá (2012) blame zero counts for data sets on which the naive credal classifier
(NCC) returns too many classes (Sections 9.1.3 and 9.3), and mention that a restricted set of priors
would help, without trying it.  Here the share of test rows with a zero count is measured on every
data set, and NCC is run with two restrictions of its priors: the floor of the authors' program, and
the contamination of the paper that they cite.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Bools, Floats
from wager.compare import holm_adjust, wilcoxon
from wager.experiments import Plan
from wager.experiments.study import Claim, Finding, Findings, Study, StudyTable, finished_scores
from wager_studies._data_sets import SCHEME, finished_note, open_if_few, preset
from wager_studies.zaffalon._evidence import LEVEL, p_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

EXACT = "NCC"
FLOORS = (0.01, 0.05, 0.1, 0.2, 0.4)  # at 0.5 the floor leaves one prior
SHARES = (*FLOORS, 0.8)  # of the uniform prior, in a contaminated one
USUAL = 0.05  # the level that claims and the table by data set are about
UTILITIES = ("u50", "u65", "u80")
MEASURES = ("determinacy", *UTILITIES)
ZEROS, NDC, NBC = "zero counts", "NDC", "NBC"
MANY = 0.5  # of the test rows with a zero count
CLEARLY = 10.0  # points of u65 by which NCC is clearly outperformed
BAYES: dict[str, Any] = {"learner": "naive-bayes"}


def _floor(epsilon: float) -> str:
    return f"{EXACT}, floor {epsilon:g}"


def _contaminated(epsilon: float) -> str:
    return f"{EXACT}, contaminated {epsilon:g}"


# What the two restrictions are called, and NCC with the usual level of each.
RESTRICTED = {
    f"a floor of {USUAL:g}": _floor(USUAL),
    f"a contamination of {USUAL:g}": _contaminated(USUAL),
}
CREDAL = (EXACT, *map(_floor, FLOORS), *map(_contaminated, SHARES))


def _credal(**params: Any) -> dict[str, Any]:
    return {"learner": "naive-credal", "params": params}


LEARNERS: dict[str, dict[str, Any]] = {
    EXACT: _credal(),
    **{_floor(e): _credal(epsilon=e) for e in FLOORS},
    **{_contaminated(e): _credal(epsilon=e, epsilon_model="contamination") for e in SHARES},
    NBC: BAYES,
    NDC: {"learner": "nondeterministic", "params": {"estimator": BAYES, "beta": 1.0}},
    ZEROS: {"learner": "wager_studies.zaffalon._zero_counts_learner.ZeroCounts"},
}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        **preset(data, quick) | {"scheme": SCHEME | {"repeats": 1}},
        name="zero-counts",
        learners=LEARNERS,
        measures=MEASURES,
    )


def _analyse(store: Store) -> Findings:
    scores = {m: finished_scores(store, m) for m in MEASURES}
    names = scores["u65"].rows
    if len(names) < 3:
        return {"notes": ["Fewer than three data sets are finished."]}
    values = {(name, m): 100 * scores[m].column(name) for name in LEARNERS for m in MEASURES}
    zeros = 100 - values[ZEROS, "determinacy"]
    shown = (EXACT, *RESTRICTED.values())
    rows = [
        (
            name,
            zeros[i],
            *(values[learner, "determinacy"][i] for learner in shown),
            *(values[learner, "u65"][i] for learner in (*shown, NBC, NDC)),
        )
        for i, name in enumerate(names)
    ]
    headers = (
        "data set",
        "test rows with a zero count",
        *(f"determinacy, {_short(learner)}" for learner in shown),
        *(f"u65, {_short(learner)}" for learner in shown),
        "u65, NBC",
        "u65, NDC",
    )
    many = zeros > 100 * MANY
    by_restriction = StudyTable(
        "By restriction, with many and with few zero counts (per cent)",
        (
            "restriction",
            *(f"mean {m}, many zero counts" for m in MEASURES),
            *(f"mean {m}, few" for m in MEASURES),
        ),
        [
            (
                _short(name),
                *(_mean(values[name, m], many) for m in MEASURES),
                *(_mean(values[name, m], ~many) for m in MEASURES),
            )
            for name in (*CREDAL, NBC, NDC)
        ],
    )
    return {
        "tables": [
            _over_all(values),
            by_restriction,
            StudyTable("By data set (per cent)", headers, rows),
        ],
        "claims": open_if_few(_claims(values, zeros), names),
        "findings": _findings(values, zeros),
        "figures": {
            "Gain of a restriction": partial(
                draw_gain,
                zeros,
                {words: _gain(values, name, "u65") for words, name in RESTRICTED.items()},
            )
        },
        "notes": [finished_note(names), NOTE],
    }


NOTE = (
    "One run of ten folds, prepared as for the other studies of these data sets. A test row has a "
    "zero count if one of its values never occurred in the training set with some class that does "
    f"occur; a data set has many of them if more than {100 * MANY:.0f}% of its rows do. Two "
    "restrictions of the priors keep one zero count from ruling out every dominance. The *floor* "
    "is that of the program of the paper's authors: it keeps the prior share of a feature's value, "
    "and of a class, above a small number. *Contamination* is the model of Corani & Benavoli "
    "(2010), which the paper cites: each prior is mixed with a share of the uniform one, so that "
    "a feature with k values has a least prior share of 1/k of the contamination. The levels of "
    "the two are therefore not comparable; verdicts are for "
    f"{USUAL:g} of both. Levels above 0.2 were added when the first results had their largest "
    "utility at that end: towards a floor of 0.5 or a contamination of 1 NCC becomes a naive Bayes "
    "classifier with one prior. Tests are Wilcoxon's over the data sets."
)

Values = dict[tuple[str, str], Floats]  # by learner and measure, in per cent by data set


def _mean(values: Floats, chosen: Bools) -> float:
    return float(values[chosen].mean()) if chosen.any() else float("nan")


def _gain(values: Values, name: str, utility: str) -> Floats:
    """What a restriction adds to the utility of the exact model, by data set."""
    return values[name, utility] - values[EXACT, utility]


def _claims(values: Values, zeros: Floats) -> list[Claim]:
    from scipy.stats import mannwhitneyu, spearmanr

    indeterminate = 100 - values[EXACT, "determinacy"]
    related = spearmanr(zeros, indeterminate)
    behind = values[NDC, "u65"] - values[EXACT, "u65"] > CLEARLY
    apart = (
        float(mannwhitneyu(zeros[behind], zeros[~behind], alternative="greater").pvalue)
        if behind.any() and not behind.all()
        else 1.0
    )
    lead = spearmanr(zeros, values[NDC, "u65"] - values[EXACT, "u65"])
    many = zeros > 100 * MANY
    left = [
        f"{100 - _mean(values[name, 'determinacy'], many):.0f}% with {words}"
        for words, name in RESTRICTED.items()
    ]
    gains = {words: _gain(values, name, "u65")[many] for words, name in RESTRICTED.items()}
    ps = holm_adjust([wilcoxon(g).p for g in gains.values()]) if many.sum() > 1 else None
    return [
        Claim.checked(
            "2012, 9.1.3",
            "with many zero counts NCC returns too many classes",
            bool(related.statistic > 0 and related.pvalue < LEVEL),
            f"rank correlation of the share of rows with a zero count and the share of rows with "
            f"several classes {related.statistic:.2f} ({p_text(float(related.pvalue))}) over "
            f"{len(zeros)} data sets; several classes on {_mean(indeterminate, many):.0f}% of the "
            f"rows where zero counts are many, {_mean(indeterminate, ~many):.0f}% elsewhere; on "
            f"the first still {' and '.join(left)}, which lessen the effect of zero counts",
            quote="which causes NCC to be excessively indeterminate",
            reading="that the two go together; how much zero counts cause, and what is excessive, "
            "is not measured by a correlation",
        ),
        Claim.checked(
            "2012, 9.3, Fig. 8",
            "the data sets on which NDC clearly outperforms NCC are those with zero counts",
            bool(apart < LEVEL),
            f"NDC is ahead by more than {CLEARLY:.0f} points of u65 on {int(behind.sum())} data "
            f"sets; {_median(zeros, behind):.0f}% of their rows have a zero count in the median, "
            f"{_median(zeros, ~behind):.0f}% of the others' (Mann-Whitney {p_text(apart)}); "
            f"rank correlation of zero counts and NDC's lead over all data sets "
            f"{lead.statistic:.2f} ({p_text(float(lead.pvalue))})",
            quote="such data sets are indeed characterized by zero counts",
            reading=f"“clearly outperformed” as more than {CLEARLY:.0f} points under u65; Figure 8 "
            "names no data sets",
        ),
        Claim.checked(
            "2012, 9.1.3",
            "where zero counts are many, a restricted set of priors can raise NCC's utility a lot",
            None
            if ps is None
            else all(g.mean() > 0 and p < LEVEL for g, p in zip(gains.values(), ps, strict=True)),
            "too few data sets with many zero counts"
            if ps is None
            else f"change of u65 in points over {int(many.sum())} such data sets: "
            + "; ".join(
                f"{words} {g.mean():+.1f} in the mean, from {g.min():+.1f} to {g.max():+.1f} "
                f"({p_text(float(p))})"
                for (words, g), p in zip(gains.items(), ps, strict=True)
            ),
            quote="restricting the credal set of NCC can largely increase the expected utility",
            reading="either restriction, with Holm's adjustment for the two tests, and “can "
            "largely” as on some data sets: the mean gain is small",
        ),
    ]


def _median(values: Floats, chosen: Bools) -> float:
    return float(np.median(values[chosen])) if chosen.any() else float("nan")


def _findings(values: Values, zeros: Floats) -> list[Finding]:
    many = zeros > 100 * MANY
    return [
        _best_restriction(values),
        *(_price(values, many, words, name) for words, name in RESTRICTED.items()),
        _against_ndc(values),
    ]


def _best_restriction(values: Values) -> Finding:
    """The kind of restriction that earns most; which strength of it is best depends on chance."""
    mean = {(n, u): float(values[n, u].mean()) for n in LEARNERS for u in UTILITIES}
    kinds = {
        "none": (EXACT,),
        "a floor": tuple(map(_floor, FLOORS)),
        "contamination": tuple(map(_contaminated, SHARES)),
    }
    best = {
        (kind, u): max(names, key=lambda name: mean[name, u])
        for kind, names in kinds.items()
        for u in UTILITIES
    }
    first = {u: max(kinds, key=lambda kind: mean[best[kind, u], u]) for u in UTILITIES}
    return Finding(
        "Which kind of restriction earns most over all data sets, with its best strength?",
        ", ".join(f"{u}: {kind}" for u, kind in first.items()),
        "; ".join(
            f"{u} "
            + ", ".join(
                f"{_short(n)} {mean[n, u]:.1f}"
                for n in (*(best[kind, u] for kind in kinds), NBC, NDC)
            )
            for u in UTILITIES
        ),
    )


def _short(name: str) -> str:
    return "exact" if name == EXACT else name.removeprefix(f"{EXACT}, ")


def _price(values: Values, many: Bools, words: str, name: str) -> Finding:
    """What a restriction does where zero counts are few."""
    question = f"Does {words} cost utility where zero counts are few?"
    shown, worse = [], False
    for u in UTILITIES:
        gap = _gain(values, name, u)[~many]
        if len(gap) < 2:
            return Finding(question, "not known", "few data")
        p = wilcoxon(gap).p
        worse = worse or (gap.mean() < 0 and p < LEVEL)
        shown.append(f"{u} {gap.mean():+.2f} ({p_text(p)})")
    return Finding(
        question,
        "yes, under some utility" if worse else "no",
        f"mean change in points over {int((~many).sum())} data sets: {', '.join(shown)}",
    )


def _behind_ndc(values: Values) -> dict[tuple[str, str], tuple[float, float]]:
    """NCC minus NDC under u65 and u80: the mean, and p adjusted for all comparisons."""
    gaps = {(name, u): values[name, u] - values[NDC, u] for name in CREDAL for u in UTILITIES[1:]}
    ps = holm_adjust([wilcoxon(gap).p for gap in gaps.values()])
    return {
        key: (float(gap.mean()), float(p)) for (key, gap), p in zip(gaps.items(), ps, strict=True)
    }


def _against_ndc(values: Values) -> Finding:
    gaps = _behind_ndc(values)
    closed = [
        f"{_short(name)} under {u}"
        for (name, u), (mean, p) in gaps.items()
        if p >= LEVEL or mean > 0
    ]
    nearest = {u: max(CREDAL, key=lambda name: gaps[name, u][0]) for u in UTILITIES[1:]}
    return Finding(
        "Does a restriction close the gap between NCC and the nondeterministic classifier (NDC)?",
        f"no significant lead of NDC with {', '.join(closed)}" if closed else "no",
        "NCC minus NDC in points, Wilcoxon with Holm's adjustment: "
        + "; ".join(
            f"{_short(name)} {u} {gaps[name, u][0]:+.1f} ({p_text(gaps[name, u][1])})"
            for u in UTILITIES[1:]
            for name in (EXACT, nearest[u])
        ),
    )


def _over_all(values: Values) -> StudyTable:
    gaps = _behind_ndc(values)
    nan = float("nan"), float("nan")
    return StudyTable(
        "By restriction, over all data sets (per cent)",
        (
            "restriction",
            *(f"mean {m}" for m in MEASURES),
            *(part for u in UTILITIES[1:] for part in (f"{u} minus that of NDC", f"p, {u}")),
        ),
        [
            (
                _short(name),
                *(float(values[name, m].mean()) for m in MEASURES),
                *(part for u in UTILITIES[1:] for part in gaps.get((name, u), nan)),
            )
            for name in (*CREDAL, NBC, NDC)
        ],
    )


def draw_gain(zeros: Floats, gains: Mapping[str, Floats]) -> Figure:
    """What each restriction adds to u65, by the share of rows with a zero count."""
    from wager.plots import plain_figure, series_colour, style_axes

    figure = plain_figure((6.4, 4.0))
    ax = figure.subplots()
    for i, (words, gain) in enumerate(gains.items()):
        colour = series_colour(i)
        ax.plot(zeros, gain, "os"[i], color=colour, alpha=0.8, markersize=5, label=words)
    ax.axhline(0, color="0.6", linewidth=1)
    ax.legend(frameon=False)
    ax.set(
        xlabel="test rows with a zero count (%)",
        ylabel="change of u65 (points)",
        title=f"Restricted priors of NCC, {len(zeros)} data sets",
    )
    style_axes(ax)
    return figure


STUDY = Study(
    "zero-counts",
    "after Zaffalon, Corani & Mauá (2012), Sections 9.1.3 and 9.3",
    "How much of the naive credal classifier's caution comes from zero counts, and what a "
    "restricted set of priors changes.",
    _analyse,
    _plan,
    title="Zero counts, and a restricted set of priors",
    minutes=2.0,
    page="zaffalon-2012",
)
