"""Determinacy of the credal and the nondeterministic classifier by numbers of rows and features.

Zaffalon, Corani & Mauá (2012), Section 9.3, say: with more rows NCC becomes more determinate and
NDC need not; with more features NCC becomes less determinate and NDC more.  Here both are applied
to generated problems of growing size whose features are independent given the class.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wager._typing import Floats
from wager.experiments import Plan
from wager.experiments.study import Claim, Findings, Study, StudyTable, open_until_done
from wager_studies.zaffalon._evidence import LEVEL, mean_and_error, open_if_small, p_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

FEATURES = (4, 8, 16, 32)
SIZES = [25, 100, 400, 1600]
MODELS = 20
LEARNERS: dict[str, dict[str, Any]] = {
    "NCC": {"learner": "naive-credal"},
    "NDC": {"learner": "nondeterministic", "params": {"estimator": "naive-bayes"}},
}


def _plan(data: str | None, quick: bool) -> Plan:
    return Plan(
        name="zaffalon-2012-ndc-size",
        datasets=[
            {
                "generator": "random-binary-naive-bayes",
                "name": f"{n} features",
                "models": 3 if quick else MODELS,
                "params": {"n_features": n, "margin": 0.25},
            }
            for n in FEATURES
        ],
        scheme={
            "kind": "generate",
            "sizes": SIZES,
            "repeats": 2 if quick else 5,
            "test_rows": 1000,
        },
        learners=LEARNERS,
        measures=("determinacy", "u65"),
        probabilities=False,
    )


def _analyse(store: Store) -> Findings:
    table = store.columns(["determinacy"])
    features = np.array([int(name.split()[0]) for name in table["dataset"]])
    size, learner = np.array(table["size"]), np.array(table["learner"])
    values = np.array(table["determinacy"])
    models = np.array(table["dataset"])
    cells = {
        (name, n, s): _by_model(values, models, (learner == name) & (features == n) & (size == s))
        for name in LEARNERS
        for n in FEATURES
        for s in SIZES
    }
    if not all(map(len, cells.values())):
        return {"notes": ["Some training sizes have no results yet."]}
    means = {
        name: np.array([[cells[name, n, s].mean() for s in SIZES] for n in FEATURES])
        for name in LEARNERS
    }
    rows = [
        (name, n, *means[name][i].tolist()) for name in LEARNERS for i, n in enumerate(FEATURES)
    ]
    headers = ("classifier", "features", *(f"{s:,} rows" for s in SIZES))
    return {
        "tables": [StudyTable("Determinacy (per cent)", headers, rows, digits=1)],
        "claims": open_until_done(
            store,
            open_if_small(_claims(cells, means), len(cells["NCC", 4, 25]), MODELS, "models"),
        ),
        "figures": {
            "Determinacy": partial(draw_determinacy, {n: v / 100 for n, v in means.items()})
        },
    }


def _by_model(values: Floats, models: Any, rows: Any) -> Floats:
    """The mean determinacy of each model, in per cent; its splits belong together."""
    chosen = models[rows]
    return 100 * np.array([values[rows][chosen == name].mean() for name in np.unique(chosen)])


Cells = dict[tuple[str, int, int], Floats]  # determinacy by model: by learner, features and rows


def _by_rows(cells: Cells, name: str) -> list[tuple[float, float]]:
    """The change from the fewest to the most rows, and its p value, by number of features.

    The same models are trained on both, so the differences of a model are tested.
    """
    gaps = [cells[name, n, SIZES[-1]] - cells[name, n, SIZES[0]] for n in FEATURES]
    return [_tested(*mean_and_error(gap)) for gap in gaps]


def _by_features(cells: Cells, name: str) -> list[tuple[float, float]]:
    """The change from the fewest to the most features, by rows; the models are different ones."""
    found = []
    for s in SIZES:
        (first, e1), (last, e2) = (mean_and_error(cells[name, n, s]) for n in FEATURES[::3])
        found.append(_tested(last - first, float(np.hypot(e1, e2))))
    return found


def _tested(change: float, error: float) -> tuple[float, float]:
    from scipy.stats import norm

    return change, float(2 * norm.sf(abs(change) / error)) if error > 0 else 1.0


def _claims(cells: Cells, means: dict[str, Floats]) -> list[Claim]:
    rows = {name: _by_rows(cells, name) for name in LEARNERS}
    features = {name: _by_features(cells, name) for name in LEARNERS}
    from_rows = f"percentage points from {SIZES[0]} to {SIZES[-1]:,} rows, by features "
    from_features = f"percentage points from {FEATURES[0]} to {FEATURES[-1]} features, by rows "
    return [
        Claim.checked(
            "2012, 9.3",
            "NCC becomes more determinate with the sample size",
            all(change > 0 and p < LEVEL for change, p in rows["NCC"]),
            from_rows + _list(rows["NCC"]),
            quote="NCC becomes more determinate as the sample size increases",
        ),
        Claim.checked(
            "2012, 9.3",
            "this is not necessarily so for NDC",
            any(change <= 0 or p >= LEVEL for change, p in rows["NDC"]),
            from_rows + _list(rows["NDC"]),
            quote="this is not necessarily the case for NDC",
            reading="in some setting it does not become significantly more determinate; in none "
            "does it become significantly less so",
        ),
        Claim.checked(
            "2012, 9.3",
            "NCC becomes less determinate with more features",
            all(change < 0 and p < LEVEL for change, p in features["NCC"]),
            from_features + _list(features["NCC"]) + "; it does with few rows alone",
            quote="NCC becomes generally more indeterminate as the number of features increases",
        ),
        Claim.checked(
            "2012, 9.3",
            "NDC becomes more determinate with more features",
            all(change > 0 and p < LEVEL for change, p in features["NDC"])
            and bool((np.diff(means["NDC"], axis=0) > 0).all()),
            from_features + _list(features["NDC"]),
            quote="on the contrary, NDC becomes less indeterminate in these cases",
        ),
    ]


def _list(changes: list[tuple[float, float]]) -> str:
    return ", ".join(f"{change:+.1f} ({p_text(p)})" for change, p in changes)


def draw_determinacy(means: dict[str, Floats]) -> Figure:
    """Determinacy against the training rows, by number of features."""
    from wager.plots import plain_figure, series_colour, series_line, series_marker, style_axes

    figure = plain_figure((8.4, 3.8))
    for ax, (name, values) in zip(figure.subplots(1, 2, sharey=True), means.items(), strict=True):
        for i, n in enumerate(FEATURES):
            label = f"{n} features"
            style = {"color": series_colour(i), "marker": series_marker(i)}
            ax.plot(SIZES, values[i], series_line(i), label=label, **style)
        ax.set_xscale("log")
        ax.set_xlabel("training rows")
        ax.set_title(name)
        style_axes(ax)
        if name == "NCC":
            ax.set_ylabel("determinacy")
            ax.legend(frameon=False)
    return figure


STUDY = Study(
    "zaffalon-2012-ndc-size",
    "Zaffalon, Corani & Mauá (2012), Section 9.3",
    "Determinacy of the credal and the nondeterministic classifier with more rows and with more "
    "features, on generated data.",
    _analyse,
    _plan,
    title="Credal and nondeterministic classifiers as data grow",
    minutes=0.1,
    page="zaffalon-2012",
)
