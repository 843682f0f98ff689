"""Which metric to trust: how often each ranks two learners as the truth does, by test rows.

Hope & Korb (2004) announce, as future work, a meta-metric that tests evaluation functions
empirically and is not biased towards Bayesian ones.  Here it is: learners are trained on data from
models whose truth is known, every metric ranks them on test sets of several sizes, and the truth
says who was right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, left_open
from wager_studies.hope_korb._metric_agreement import METRICS, TRUTHS
from wager_studies.hope_korb._rankings import (
    BLOCKS,
    COSTS,
    Ranked,
    mean_of_known,
    standard_error,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

FAMILIES: dict[str, dict[str, Any]] = {
    "naive Bayes": {"generator": "random-naive-bayes"},
    "TAN": {"generator": "random-tan"},
    "AODE": {"generator": "random-aode"},
    "network": {"generator": "random-network", "params": {"n_variables": 6, "n_values": [2, 5]}},
}
TRAINING = [50, 500, 5000]
FEW = (25, 50, 100)
LEARNERS: dict[str, dict[str, Any]] = {
    "NB": {"learner": "naive-bayes"},
    "TAN": {"learner": "tan", "params": {"search": "superparent"}},
    "AODE": {"learner": "aode"},
    "CaMML": {"learner": "causal-mml"},
    "C4.5": {"learner": "c45", "params": {"smoothing": "laplace"}},
}
WORDS = {
    "divergence": "divergence from the truth",
    "accuracy": "true accuracy",
    "cost": "true cost of acting",
}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="hope-korb-metametric",
        datasets=[
            {"name": family, "models": 2 if quick else 20, **what}
            for family, what in FAMILIES.items()
        ],
        # one half of the rows is for the metrics, the other for the truth
        scheme={
            "kind": "generate",
            "sizes": TRAINING[:2] if quick else TRAINING,
            "test_rows": 2000 if quick else 20_000,
        },
        learners=LEARNERS,
        measures=("information_reward", "kl_divergence", "accuracy"),
        predictions=True,
    )


def _analyse(store: Store) -> Findings:
    ranked = Ranked.of(store)
    if ranked.told < 2:
        return {"notes": ["Too little is done for an analysis."]}
    counts = store.counts()
    claims = _claims(ranked)
    if counts["done"] < counts["planned"]:
        claims = left_open(claims, f"{len(ranked.models)} models are done")
    return {
        "tables": _tables(ranked),
        "claims": claims,
        "figures": {"Ranked as the truth ranks": partial(_draw, ranked)},
        "notes": [*NOTES, *(_advice(ranked, truth) for truth in TRUTHS)],
    }


def _tables(ranked: Ranked) -> list[StudyTable]:
    shares, losses = ranked.by_model(ranked.share), ranked.by_model(ranked.lost)
    share, error, lost = (
        100 * mean_of_known(shares),
        100 * standard_error(shares),
        mean_of_known(losses),
    )
    cells = [(t, m) for t in range(len(TRUTHS)) for m in range(len(METRICS))]
    pretty = [
        (TRUTHS[t], METRICS[m],
         *(f"{share[t, s, m]:.1f} ± {error[t, s, m]:.1f}" for s in range(len(ranked.sizes))))
        for t, m in cells
    ]  # fmt: skip
    tidy = [
        (TRUTHS[t], METRICS[m], size, *(part[t, s, m] for part in (share, error, lost)))
        for t, m in cells
        for s, size in enumerate(ranked.sizes)
    ]
    heads = ("truth", "metric")
    return [
        StudyTable(
            "Pairs ranked as the truth ranks them (per cent ± standard error)",
            (*heads, *(f"{size:,} rows" for size in ranked.sizes)),
            pretty,
        ),
        StudyTable(
            "All shares",
            (*heads, "test rows", "share (%)", "standard error", "lost of the truth"),
            tidy,
            shown=False,
        ),
        StudyTable(
            "Shares by models and training rows",
            ("part", *heads, *(f"{size:,} rows" for size in ranked.sizes)),
            list(_by_part(ranked)),
            shown=False,
        ),
    ]


def _by_part(ranked: Ranked) -> Iterator[tuple[Any, ...]]:
    """The shares on problems of one family, and on those with one size of training set."""
    family = np.array([model.rpartition("-")[0] for model, _ in ranked.problems])
    training = np.array([rows for _, rows in ranked.problems])
    parts = {f"{name} models": family == name for name in FAMILIES}
    parts |= {f"{rows} training rows": training == rows for rows in TRAINING}
    for name, chosen in parts.items():
        share = 100 * mean_of_known(ranked.share[chosen])
        for t, truth in enumerate(TRUTHS):
            for m, metric in enumerate(METRICS):
                yield name, truth, metric, *share[t, :, m].tolist()


def _advice(ranked: Ranked, truth: str) -> str:
    """Which metric to trust for a truth, when test rows are few and when they are many."""
    few = [s for s, size in enumerate(ranked.sizes) if size in FEW]
    many = [len(ranked.sizes) - 1]
    return (
        f"Judged by the {WORDS[truth]}, with {FEW[0]} to {FEW[-1]} test rows "
        f"{_order(ranked, truth, few)}; with {ranked.sizes[-1]:,} {_order(ranked, truth, many)}."
    )


def _order(ranked: Ranked, truth: str, places: Sequence[int]) -> str:
    """The metrics from the best down; those above the first that is surely behind are trusted."""
    from wager.compare import paired_t

    by_model = {
        metric: ranked.shares_of(truth, metric)[:, places].mean(axis=1) for metric in METRICS
    }
    known = ~np.isnan(by_model["accuracy"])
    share = {metric: float(values[known].mean()) for metric, values in by_model.items()}
    order = sorted(share, key=lambda metric: -share[metric])
    best = by_model[order[0]][known]
    trusted = 1
    while trusted < len(order) and paired_t(best, by_model[order[trusted]][known]).interval[0] <= 0:
        trusted += 1
    told = [f"{metric} ({100 * share[metric]:.1f}%)" for metric in order]
    return f"trust {' or '.join(told[:trusted])}, then {', '.join(told[trusted:]) or 'none'}"


def _claims(ranked: Ranked) -> list[Claim]:
    def compare(
        a: str, b: str, truth: str, places: Sequence[int]
    ) -> list[tuple[float, bool, bool]]:
        """Points that the first is ahead at each size, and whether surely ahead or behind."""
        from wager.compare import paired_t

        found = []
        for s in places:
            values = ranked.shares_of(truth, a)[:, s] - ranked.shares_of(truth, b)[:, s]
            outcome = paired_t(values[~np.isnan(values)])
            low, high = outcome.interval
            found.append((100 * outcome.effect, low > 0, high < 0))
        return found

    def said(a: str, b: str, truth: str) -> str:
        ahead = compare(a, b, truth, everywhere)
        return f"{b} " + ", ".join(f"{d:+.1f}{'*' if up or down else ''}" for d, up, down in ahead)

    def ahead(a: str, b: str, truth: str, places: Sequence[int]) -> bool:
        return all(up for _, up, _ in compare(a, b, truth, places))

    everywhere, last = range(len(ranked.sizes)), [len(ranked.sizes) - 1]
    few = [s for s, size in enumerate(ranked.sizes) if size in FEW]
    rivals = ("accuracy", "Good", "KB", "IR 2002")
    rows = ", ".join(f"{size:,}" for size in ranked.sizes)
    key = f"in points, with {rows} test rows (* sure at 5%)"
    return [
        Claim("6, future work", "the meta-metric supports IR_B: it ranks learners as the "
              "divergence does, more often than accuracy, Good, Kononenko-Bratko and IR of 2002",
              all(ahead("IR_B", rival, "divergence", everywhere) for rival in rivals),
              f"IR_B is ahead, {key}: of "
              + "; of ".join(said("IR_B", rival, "divergence") for rival in rivals)),
        Claim("3.2", "Kononenko & Bratko's reward fails to minimise the divergence",
              ahead("IR_B", "KB", "divergence", last),
              f"with {ranked.sizes[-1]:,} test rows it agrees with the divergence in "
              f"{_at_end(ranked, 'KB'):.1f}% of the pairs, IR_B in {_at_end(ranked, 'IR_B'):.1f}%"),
        Claim("3.3, Theorem 1", "the information reward of 2002 does not pay calibration best",
              ahead("IR_B", "IR 2002", "divergence", last),
              f"with {ranked.sizes[-1]:,} test rows it agrees with the divergence in "
              f"{_at_end(ranked, 'IR 2002'):.1f}% of the pairs, IR_B in "
              f"{_at_end(ranked, 'IR_B'):.1f}%"),
        Claim("6", "IR_B serves where costs are not known: it tells the learner that is cheaper to "
              "act on, more often than accuracy does",
              ahead("IR_B", "accuracy", "cost", everywhere),
              f"ahead, {key}: of {said('IR_B', 'accuracy', 'cost')}"),
        Claim("ours", "with few test rows IR_B tells the more accurate learner more often than "
              "accuracy does", ahead("IR_B", "accuracy", "accuracy", few),
              f"ahead, {key}: of {said('IR_B', 'accuracy', 'accuracy')}"),
        Claim("ours", "no other metric ranks as the divergence does more often than log loss",
              not any(up for metric in METRICS if metric != "log loss"
                      for _, up, _ in compare(metric, "log loss", "divergence", everywhere)),
              f"log loss is ahead, {key}: of "
              + "; of ".join(said("log loss", m, "divergence") for m in ("IR_B", "Brier", "Ac"))),
    ]  # fmt: skip


def _at_end(ranked: Ranked, metric: str) -> float:
    return 100 * float(mean_of_known(ranked.shares_of("divergence", metric))[-1])


def _draw(ranked: Ranked) -> Figure:
    from matplotlib.figure import Figure

    from wager.plots import series_colour, series_line, series_marker, style_axes

    figure = Figure(figsize=(10.4, 4.2), layout="constrained")
    panels = figure.subplots(1, len(TRUTHS), sharey=True)
    for ax, truth in zip(panels, TRUTHS, strict=True):
        for m, metric in enumerate(METRICS):
            ink = "0.55" if metric == "Ac" else series_colour(m)
            share = 100 * mean_of_known(ranked.shares_of(truth, metric))
            ax.plot(ranked.sizes, share, series_line(m), color=ink, marker=series_marker(m), markersize=4.5,
                    label=metric)  # fmt: skip
        ax.set_xscale("log")
        ax.set_xticks(ranked.sizes, [f"{size:,}" for size in ranked.sizes], fontsize=8)
        ax.minorticks_off()
        ax.set_xlabel("test rows")
        ax.set_title(f"Judge: {WORDS[truth]}", fontsize=10)
        style_axes(ax)
    panels[0].set_ylabel("pairs ranked as the judge ranks them (%)")
    panels[0].legend(frameon=False, ncols=2, loc="lower right", fontsize=8)
    return figure


NOTES = [
    "Five learners (naive Bayes, TAN, AODE, CaMML and C4.5 with Laplace's correction) are trained "
    "on 50 to 5,000 rows from models of four families: the three of Section 5.1 and random "
    "networks of six variables. Of the further rows of each problem one half is cut into test "
    f"sets, up to {BLOCKS} of each size, on which the metrics rank all pairs of learners (a draw "
    "counts one half); the other half serves the truth, which never sees a label.",
    "There are three truths. The divergence (Kullback-Leibler, from the true class probabilities) "
    "judges the reports themselves. The true accuracy is how often the most probable class is "
    "right, and the true cost what a user pays who names the class that seems cheapest: the mean "
    f"over {COSTS} random cost matrices, each error costing anything from 0 to 1. The divergence "
    "is the expected log loss but for a constant, and so no impartial judge of log loss and of "
    "IR_B, which for two classes ranks exactly as log loss does; accuracy and cost are impartial "
    "to them. Pairs that a truth cannot tell apart are left out. Standard errors are over models; "
    "what is called sure is so for each comparison by itself. The conclusions marked ours were put "
    "after a look at two models of each family, which are among those reported.",
]


STUDY = Study(
    "hope-korb-metametric",
    "Hope & Korb (2004), Section 6",
    "Which metric ranks learners as the truth does, by the number of test rows: the meta-metric "
    "that the paper announces as future work.",
    _analyse,
    _plan,
)
