"""Which metric to trust: how often each ranks two learners in the true order, by test rows.

Hope & Korb (2004) announce, as future work, a meta-metric that tests evaluation functions
empirically and is not biased towards Bayesian ones.  This study implements it: learners are trained
on data from known models, every metric ranks them on test sets of several sizes, and the rankings
are compared with those by the true probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import MetaMetric, Plan, draw_ranking_shares, mean_of_known
from wager.experiments.study import Finding, Findings, Study, StudyTable
from wager_studies.hope_korb._rankings import BLOCKS, COSTS, METRICS, TRUTHS, rankings_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

FAMILIES: dict[str, dict[str, Any]] = {
    "naive Bayes": {"generator": "random-naive-bayes"},
    "TAN": {"generator": "random-tan"},
    "AODE": {"generator": "random-aode"},
    "network": {"generator": "random-network", "params": {"n_variables": 6, "n_values": [2, 5]}},
}
MODELS = 20  # of each family
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
    "cost": "true cost of decisions",
}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="hope-korb-metametric",
        datasets=[
            {"name": family, "models": 2 if quick else MODELS, **what}
            for family, what in FAMILIES.items()
        ],
        # one half of the test rows is used for the metrics, the other for the truth
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
    rankings = rankings_of(store)
    if rankings.n_informative < 2:
        return {"notes": ["Too few fits are done for an analysis."]}
    counts, n_models = store.counts(), len(rankings.models)
    unfinished = counts["done"] < counts["planned"] or n_models < MODELS * len(FAMILIES)
    return {
        "tables": _tables(rankings),
        "findings": [] if unfinished else _findings(rankings),
        "figures": {"Pairs ranked as by the truth": partial(_draw, rankings)},
        "notes": [*NOTES, *(_advice(rankings, truth) for truth in TRUTHS)],
    }


def _tables(rankings: MetaMetric) -> list[StudyTable]:
    tidy = [
        (row["truth"], row["metric"], row["test_rows"], 100 * row["share"],
         100 * row["standard_error"], row["lost"])
        for row in rankings.to_dict()["shares"]
    ]  # fmt: skip
    n_sizes = len(rankings.test_rows)
    pretty = [
        (*tidy[first][:2], *(f"{row[3]:.1f} ± {row[4]:.1f}" for row in tidy[first:][:n_sizes]))
        for first in range(0, len(tidy), n_sizes)
    ]
    heads = ("truth", "metric")
    return [
        StudyTable(
            "Pairs ranked as by the truth (per cent ± standard error)",
            (*heads, *(f"{size:,} rows" for size in rankings.test_rows)),
            pretty,
        ),
        StudyTable(
            "All shares",
            (*heads, "test rows", "share (%)", "standard error", "loss of true quality"),
            tidy,
            shown=False,
        ),
        StudyTable(
            "Shares by models and training rows",
            ("part", *heads, *(f"{size:,} rows" for size in rankings.test_rows)),
            list(_by_part(rankings)),
            shown=False,
        ),
    ]


def _by_part(rankings: MetaMetric) -> Iterator[tuple[Any, ...]]:
    """The shares by family of models, and by size of the training set."""
    family = np.array([model.rpartition("-")[0] for model, _ in rankings.problems])
    training = np.array([rows for _, rows in rankings.problems])
    parts = {f"{name} models": family == name for name in FAMILIES}
    parts |= {f"{rows} training rows": training == rows for rows in TRAINING}
    for name, chosen in parts.items():
        share = 100 * mean_of_known(rankings.share[chosen])
        for t, truth in enumerate(TRUTHS):
            for m, metric in enumerate(METRICS):
                yield name, truth, metric, *share[t, :, m].tolist()


def _advice(rankings: MetaMetric, truth: str) -> str:
    """Which metric to trust for a truth, with few and with many test rows."""
    few = [s for s, size in enumerate(rankings.test_rows) if size in FEW]
    many = [len(rankings.test_rows) - 1]
    return (
        f"Judged by the {WORDS[truth]}, with {FEW[0]} to {FEW[-1]} test rows "
        f"{_order(rankings, truth, few)}; with {rankings.test_rows[-1]:,} "
        f"{_order(rankings, truth, many)}."
    )


def _order(rankings: MetaMetric, truth: str, places: Sequence[int]) -> str:
    """The metrics, best first; those before the first that is significantly worse are trusted."""
    from wager.compare import paired_t

    by_model = {
        metric: rankings.shares_of(metric, truth)[:, places].mean(axis=1) for metric in METRICS
    }
    known = ~np.isnan(by_model["accuracy"])
    share = {metric: float(values[known].mean()) for metric, values in by_model.items()}
    order = sorted(share, key=lambda metric: -share[metric])
    best = by_model[order[0]][known]
    trusted = 1
    while trusted < len(order) and paired_t(best, by_model[order[trusted]][known]).interval[0] <= 0:
        trusted += 1
    shown = [f"{metric} ({100 * share[metric]:.1f}%)" for metric in order]
    return f"trust {' or '.join(shown[:trusted])}, then {', '.join(shown[trusted:]) or 'none'}"


Lead = tuple[float, bool, bool]  # percentage points; significantly ahead; significantly behind


def _leads(rankings: MetaMetric, a: str, b: str, truth: str) -> list[Lead]:
    """How far the first metric is ahead of the second at each test size."""
    from wager.compare import paired_t

    found = []
    gaps = rankings.shares_of(a, truth) - rankings.shares_of(b, truth)
    for values in gaps.T:
        outcome = paired_t(values[~np.isnan(values)])
        low, high = outcome.interval
        found.append((100 * outcome.effect, low > 0, high < 0))
    return found


def _shown(rankings: MetaMetric, a: str, b: str, truth: str) -> str:
    """The leads over a metric at each test size; a star marks the significant ones."""
    leads = _leads(rankings, a, b, truth)
    return f"{b} " + ", ".join(f"{d:+.1f}{'*' if up or down else ''}" for d, up, down in leads)


def _is_ahead(
    rankings: MetaMetric, rival: str, truth: str, places: Sequence[int] | None = None
) -> bool:
    """Whether IR_B is significantly ahead of a metric at all, or at some, test sizes."""
    leads = _leads(rankings, "IR_B", rival, truth)
    return all(leads[s][1] for s in (range(len(leads)) if places is None else places))


def _key(rankings: MetaMetric) -> str:
    rows = ", ".join(f"{size:,}" for size in rankings.test_rows)
    return f"in percentage points, with {rows} test rows (* significant at 5%)"


def _findings(rankings: MetaMetric) -> list[Finding]:
    few = [s for s, size in enumerate(rankings.test_rows) if size in FEW]
    key = _key(rankings)
    rivals = ("accuracy", "Good", "KB", "IR 2002")
    others = [metric for metric in METRICS if metric != "log loss"]
    better = [
        metric
        for metric in others
        if any(up for _, up, _ in _leads(rankings, metric, "log loss", "divergence"))
    ]
    shown = (_shown(rankings, "log loss", other, "divergence") for other in ("IR_B", "Brier", "Ac"))
    return [
        Finding(
            "Do Kononenko & Bratko's reward and the reward of 2002, which do not reward honesty "
            "most (3.2, Theorem 1), rank learners as by divergence less often than IR_B does?",
            _yes(all(_is_ahead(rankings, name, "divergence", [-1]) for name in ("KB", "IR 2002"))),
            _agreement_at_end(rankings, ("KB", "IR 2002")),
        ),
        Finding(
            "Does IR_B identify the cheaper learner more often than accuracy does, where the costs "
            "of errors are not known?",
            _yes(_is_ahead(rankings, "accuracy", "cost")),
            f"ahead, {key}: of {_shown(rankings, 'IR_B', 'accuracy', 'cost')}; costs of errors are "
            "drawn at random",
        ),
        Finding(
            "Does the meta-metric support IR_B: does it rank learners as by divergence more often "
            "than accuracy, Good, Kononenko-Bratko and IR of 2002 do?",
            _yes(all(_is_ahead(rankings, rival, "divergence") for rival in rivals)),
            f"IR_B is ahead, {key}: of "
            + "; of ".join(_shown(rankings, "IR_B", rival, "divergence") for rival in rivals),
        ),
        Finding(
            "With few test rows, does IR_B identify the more accurate learner more often than "
            "accuracy does?",
            _yes(_is_ahead(rankings, "accuracy", "accuracy", few)),
            f"ahead, {key}: of {_shown(rankings, 'IR_B', 'accuracy', 'accuracy')}",
        ),
        Finding(
            "Does any other metric rank as by divergence more often than log loss?",
            ", ".join(better) or "no",
            f"log loss is ahead, {key}: of {'; of '.join(shown)}",
        ),
        Finding(
            "Does IR_B rank learners as the truth does more often than AUC?",
            _by_truth(rankings, "AUC"),
            f"IR_B is ahead of AUC, {key}: "
            + "; ".join(
                f"by {WORDS[truth]}{_shown(rankings, 'IR_B', 'AUC', truth).removeprefix('AUC')}"
                for truth in TRUTHS
            ),
        ),
    ]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _by_truth(rankings: MetaMetric, rival: str) -> str:
    """The truths by which IR_B is ahead of a metric at all test sizes."""
    ahead = [truth for truth in TRUTHS if _is_ahead(rankings, rival, truth)]
    if len(ahead) == len(TRUTHS):
        return "yes, by all three truths"
    return f"by {' and '.join(WORDS[truth] for truth in ahead)} only" if ahead else "no"


def _agreement_at_end(rankings: MetaMetric, metrics: Sequence[str]) -> str:
    """How often metrics and IR_B agree with the divergence on the largest test sets."""
    shown = [
        f"{name} {100 * float(mean_of_known(rankings.shares_of(name, 'divergence'))[-1]):.1f}%"
        for name in (*metrics, "IR_B")
    ]
    return (
        f"share of the pairs that are ranked as by divergence with {rankings.test_rows[-1]:,} test "
        f"rows: {', '.join(shown)}"
    )


def _draw(rankings: MetaMetric) -> Figure:
    return draw_shares(
        rankings.test_rows,
        {
            truth: 100 * np.array([mean_of_known(rankings.shares_of(m, truth)) for m in METRICS])
            for truth in TRUTHS
        },
    )


def draw_shares(sizes: Sequence[int], shares: Mapping[str, Floats]) -> Figure:
    """Per cent of pairs ranked as by each truth, of each metric (rows) and test size (columns)."""
    return draw_ranking_shares(
        sizes, {f"Truth: {WORDS[truth]}": shares[truth] for truth in TRUTHS}, METRICS
    )


NOTES = [
    "Five learners (naive Bayes, TAN, AODE, CaMML and C4.5 with Laplace's correction) are trained "
    "on 50 to 5,000 rows from models of four families: the three of Section 5.1 and random "
    "networks of six variables. Of the test rows of each problem one half is split into test "
    f"sets, up to {BLOCKS} of each size, on which the metrics rank all pairs of learners (a tie "
    "counts one half); the other half is used for the truth, which does not depend on labels.",
    "There are three truths. The divergence (Kullback-Leibler, from the true class probabilities) "
    "judges the predicted probabilities themselves. The true accuracy is how often the most "
    "probable class is right, and the true cost is that of predicting the class of least expected "
    f"cost: the mean over {COSTS} random cost matrices, with costs of errors from 0 to 1. The "
    "divergence equals the expected log loss up to a constant, so it favours log loss and "
    "IR_B, which for two classes ranks exactly as log loss does; accuracy and cost do not favour "
    "them. Pairs that are equal by a truth are left out. Standard errors are over models; "
    "significance is not adjusted for several comparisons. Of our own questions, those on few test "
    "rows and on log loss were formulated after looking at two models of each family, which are "
    "among those reported. AUC is the area under the ROC curve, of several classes the mean over "
    "pairs of classes (Hand & Till, 2001); a test set with one class is a tie.",
]


STUDY = Study(
    "hope-korb-metametric",
    "Hope & Korb (2004), Section 6",
    "Which metric ranks learners in the true order, by the number of test rows: the meta-metric "
    "that the paper announces as future work.",
    _analyse,
    _plan,
    title="Which metric finds the true order of learners",
    minutes=2.5,
    page="findings",
)
