"""Whether robustness ranks errors better than the probability of the predicted class.

This question is not from a paper.  A prediction that stays a single class even for strong priors
should be right more often than one that a weak prior makes indeterminate.  But the posterior
probability says something similar.  Both scores rank the same predictions, and the area under the
generalized risk-coverage curve (AUGRC; Traub et al., 2024) says which ranks errors last.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Bools, Floats
from wager.compare import bayesian_signed_rank, holm_adjust, wilcoxon, wins_ties_losses
from wager.experiments import Plan
from wager.experiments.study import Finding, Findings, Study, StudyTable, finished_scores
from wager.rewards import evaluate_selective
from wager_studies._data_sets import preset
from wager_studies.findings._confidence import PAIRS, SCORES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

# MDL drops all features of the first in half the folds; classes of the second differ in upper and
# lower case alone, so that predictions cannot be stored as Parquet.
LEFT_OUT = ("liver-disorders", "vowel")
N_DATA_SETS = 40
REPEATS = 5  # with a single one, the answer about forests depends on how the folds are drawn
ENOUGH = 30  # finished data sets needed for an answer
FEW = "Too few data sets are finished to answer the questions."
ROPE = 0.001  # differences of AUGRC up to 0.1 percentage points count as equal
LEVEL = 0.05
METHOD = (
    "Each model predicts its most probable class; only the order of the rows differs. NBC is naive "
    "Bayes under the Perks prior with s = 1. Robustness is the largest s at which the naive credal "
    "classifier, with counts as trained, names a single class: under the global model (NCC) or "
    "under the local model. Lead is the probability of the first class minus that of the second. "
    "The tree is a credal tree, the forest a random forest "
    "of 20 trees with the intervals of its leaves. A plus sign means that equal values are ordered "
    "by the probability. AUGRC is the mean, over all thresholds, of the share of rows that are "
    "accepted and wrong: 0 is perfect, and half the error rate is what a random order gets. All "
    "test rows of five folds are ranked together, and the results of five such runs are averaged. "
    "Ties count with their expected value."
)
LIMITS = (
    "Limits: 40 data sets of the UCI repository, most of them small, prepared by MDL "
    "discretization. p is from Wilcoxon's test with Holm's adjustment; "
    "better / equal / worse are the probabilities of the Bayesian signed-rank test, where "
    "differences of AUGRC up to 0.1 percentage points count as equal."
)


def _augrc(wrong: Bools, confidence: Floats) -> float:
    """The mean over k = 1..n of the errors among the k surest rows, divided by n.

    This sum over rows is the area under the generalized risk-coverage curve plus half a row: the
    share of errors divided by 2 n.
    """
    ranked = evaluate_selective(wrong, wrong, confidence, loss=wrong)
    return ranked["augrc"] + ranked["risk"] / (2 * len(wrong))


def _best_and_random(wrong: Bools) -> tuple[float, float]:
    """The AUGRC of the perfect order, and that of a random one."""
    n, errors = len(wrong), int(wrong.sum())
    return errors * (errors + 1) / 2 / n**2, errors * (n + 1) / 2 / n**2


def _plan(data: str | None, quick: bool) -> Plan:
    shared = preset(data, quick, as_printed=False)
    kept = [entry for entry in shared["datasets"] if entry["name"] not in LEFT_OUT]
    scheme = {"repeats": 1, "n_folds": 3} if quick else {"repeats": REPEATS, "n_folds": 5}
    learners = {
        name: {
            "learner": "wager_studies.findings._confidence.RankedBy",
            "params": {"model": model, "score": score, "random_state": 0},
        }
        for name, (model, score) in SCORES.items()
    }
    return Plan(
        **shared | {"datasets": kept[:N_DATA_SETS], "scheme": shared["scheme"] | scheme},
        name="robustness-ranks-errors",
        learners=learners,
        measures=("u50",),
        predictions=True,
    )


def _analyse(store: Store) -> Findings:
    names = finished_scores(store, "u50").rows
    if len(names) < 2:
        return {"notes": [METHOD, "Fewer than two data sets are finished."]}
    scores = [name for name in SCORES if name in store.learners]
    values = {name: np.empty(len(names)) for name in scores}
    errors = {name: np.empty(len(names)) for name in scores}
    gains = {name: np.empty(len(names)) for name in scores}
    for i, dataset in enumerate(names):
        for name in scores:
            runs = list(_ranked_rows(store, dataset, name))
            values[name][i] = np.mean([_augrc(wrong, confidence) for wrong, confidence in runs])
            errors[name][i] = np.mean([wrong.mean() for wrong, _ in runs])
            best, by_chance = np.mean([_best_and_random(wrong) for wrong, _ in runs], axis=0)
            gains[name][i] = (
                (by_chance - values[name][i]) / (by_chance - best) if by_chance > best else np.nan
            )
    pairs = [pair for pair in PAIRS if set(pair) <= set(scores)]
    compared = _compare(values, pairs)
    enough = len(names) >= ENOUGH
    return {
        "tables": [_summary(values, errors, gains), compared, _by_data_set(names, values)],
        "findings": _answers(values) if enough else [],
        "figures": {"AUGRC by data set": partial(draw, values)},
        "notes": [
            _answer(values, len(names)) if enough else FEW,
            METHOD,
            LIMITS,
        ],
    }


def _ranked_rows(store: Store, dataset: str, learner: str) -> Iterator[tuple[Bools, Floats]]:
    """Whether each test row of a run is wrong, and the confidence in its prediction, run by run."""
    import duckdb

    files = store.predictions_by_split(dataset, learner, kind="probabilities")
    for run in sorted({repeat for repeat, _ in files}):
        folds = [str(file) for (repeat, _), file in files.items() if repeat == run]
        table = duckdb.read_parquet(folds, union_by_name=True).fetchnumpy()
        columns = [name for name in table if name.startswith("p:")]
        proba = np.column_stack([np.ma.filled(table[name], 0.0) for name in columns]).astype(float)
        names = np.array([name.removeprefix("p:") for name in columns])
        chosen = names[proba.argmax(axis=1)]
        yield chosen != np.asarray(table["y_true"]).astype(str), proba.max(axis=1)


def _summary(
    values: dict[str, Floats], errors: dict[str, Floats], gains: dict[str, Floats]
) -> StudyTable:
    rows = [
        (
            name,
            100 * float(errors[name].mean()),
            100 * float(values[name].mean()),
            100 * float(np.median(values[name])),
            100 * float(np.nanmean(gains[name])),
        )
        for name in values
    ]
    headers = ("score", "error rate", "mean AUGRC", "median AUGRC", "share of the possible gain")
    return StudyTable("Means over the data sets (per cent)", headers, rows)


def _compare(values: dict[str, Floats], pairs: list[tuple[str, str]]) -> StudyTable:
    p = holm_adjust([_test(values, pair).p for pair in pairs])
    rows = []
    for (a, b), adjusted in zip(pairs, p, strict=True):
        record = wins_ties_losses(-_rounded(values[a]), -_rounded(values[b]))
        bayes = bayesian_signed_rank(values[b], values[a], rope=ROPE, names=(a, b)).details
        rows.append((
            a, b,
            100 * float((values[a] - values[b]).mean()),
            100 * float(np.median(values[a] - values[b])),
            f"{record.wins}-{record.ties}-{record.losses}",
            "< 0.001" if adjusted < 0.001 else f"{adjusted:.3f}",
            " / ".join(f"{bayes[key]:.2f}" for key in ("p_a", "p_rope", "p_b")),
        ))  # fmt: skip
    headers = (
        "score", "against", "mean difference of AUGRC", "median", "better-equal-worse", "p",
        "better / equal / worse",
    )  # fmt: skip
    return StudyTable("Paired comparisons over the data sets", headers, rows, digits=3)


def _rounded(values: Floats) -> Floats:
    return np.round(values, 12)


def _test(values: dict[str, Floats], pair: tuple[str, str]) -> Any:
    a, b = (_rounded(values[name]) for name in pair)
    return wilcoxon(a, b, names=pair)


def _answers(values: dict[str, Floats]) -> list[Finding]:
    """Whether robustness ranks errors better; p values adjusted over the three models."""
    asked = {
        title: pair
        for title, pair in (
            ("naive Bayes", ("NCC robustness+", "NBC probability")),
            ("a credal tree", ("tree robustness+", "tree probability")),
            ("a random forest", ("forest robustness+", "forest probability")),
        )
        if set(pair) <= set(values)
    }
    adjusted = holm_adjust([_test(values, pair).p for pair in asked.values()])
    found = []
    for (title, (a, b)), p in zip(asked.items(), adjusted, strict=True):
        gap = float((values[a] - values[b]).mean())
        record = wins_ties_losses(-_rounded(values[a]), -_rounded(values[b]))
        answer = "no significant difference"
        if p < LEVEL:
            answer = "yes" if record.wins > record.losses else "no, worse"
        found.append(
            Finding(
                f"Does robustness rank the errors of {title} better than the probability does?",
                answer,
                f"mean difference of AUGRC {100 * gap:+.3f} percentage points; better on "
                f"{record.wins}, equal on {record.ties}, worse on {record.losses} data sets; "
                f"Wilcoxon's p = {p:.2g} after Holm",
            )
        )
    return found


def _answer(values: dict[str, Floats], n: int) -> str:
    told = []
    for a, b in PAIRS:
        if not {a, b} <= set(values):
            continue
        gap, p = float((values[a] - values[b]).mean()), _test(values, (a, b)).p
        verdict = "no significant difference" if p >= LEVEL else ("better" if gap < 0 else "worse")
        told.append(f"{a} against {b}: {verdict} ({100 * gap:+.3f} percentage points, p = {p:.2g})")
    start = f"In short, by AUGRC on {n} data sets, with p of Wilcoxon's test before adjustment: "
    return start + "; ".join(told) + "."


def _by_data_set(names: tuple[str, ...], values: dict[str, Floats]) -> StudyTable:
    rows = [
        (dataset, *(100 * float(values[name][i]) for name in values))
        for i, dataset in enumerate(names)
    ]
    return StudyTable(
        "AUGRC by data set (per cent)", ("data set", *values), rows, shown=False, digits=3
    )


def draw(values: dict[str, Floats]) -> Figure:
    """AUGRC of robustness against that of the probability: a point below the line is better."""
    from wager.plots import plain_figure, series_colour, series_marker, style_axes

    shown = [
        ("NCC robustness+", "NBC probability"),
        ("tree robustness+", "tree probability"),
        ("forest robustness+", "forest probability"),
    ]
    shown = [pair for pair in shown if set(pair) <= set(values)]
    figure = plain_figure((10.2, 3.6))
    for i, (ax, (a, b)) in enumerate(
        zip(np.atleast_1d(figure.subplots(1, len(shown))), shown, strict=True)
    ):
        x, y = 100 * values[b], 100 * values[a]
        top = 1.05 * max(x.max(), y.max(), 1e-9)
        ax.plot([0, top], [0, top], color="0.6", linewidth=0.8)
        ax.scatter(x, y, s=20, color=series_colour(i), marker=series_marker(i), alpha=0.8)
        ax.set(xlim=(0, top), ylim=(0, top), xlabel=f"AUGRC of {b} (%)", ylabel=f"AUGRC of {a} (%)")
        style_axes(ax)
    return figure


STUDY = Study(
    name="robustness-ranks-errors",
    paper="Beyond the papers, with the measure of Traub et al. (2024)",
    shows=(
        "Whether the largest strength at which a prediction stays a single class ranks errors "
        "better than the probability of the class does."
    ),
    analyse=_analyse,
    plan=_plan,
    title="Robustness as a confidence score",
    minutes=8.0,
    page="findings",
)
