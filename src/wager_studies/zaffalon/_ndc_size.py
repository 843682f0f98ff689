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
from wager.experiments.study import Claim, Findings, Study, StudyTable, listed, open_until_done

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wager.experiments import Store

FEATURES = (4, 8, 16, 32)
SIZES = [25, 100, 400, 1600]
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
                "models": 3 if quick else 20,
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
    cells = {
        (name, n, s): values[(learner == name) & (features == n) & (size == s)]
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
        (name, n, *(100 * means[name][i]).tolist())
        for name in LEARNERS
        for i, n in enumerate(FEATURES)
    ]
    headers = ("classifier", "features", *(f"{s:,} rows" for s in SIZES))
    return {
        "tables": [StudyTable("Determinacy (per cent)", headers, rows, digits=1)],
        "claims": open_until_done(store, _claims(means)),
        "figures": {"Determinacy": partial(draw_determinacy, means)},
    }


def _claims(means: dict[str, Floats]) -> list[Claim]:
    ndc = means["NDC"]
    by_rows = {name: 100 * (values[:, -1] - values[:, 0]) for name, values in means.items()}
    by_features = {name: 100 * (values[-1] - values[0]) for name, values in means.items()}
    less = [f"{s:,}" for s, change in zip(SIZES, by_features["NCC"], strict=True) if change < 0]
    return [
        Claim("9.3", "NCC becomes more determinate with the sample size",
              bool((by_rows["NCC"] > 0).all()),
              f"percentage points from {SIZES[0]} to {SIZES[-1]:,} rows: {_list(by_rows['NCC'])}"),
        Claim("9.3", "this is not necessarily so for NDC", bool((np.diff(ndc, axis=1) < 0).any()),
              f"percentage points from {SIZES[0]} to {SIZES[-1]:,} rows: {_list(by_rows['NDC'])}"),
        Claim("9.3", "NCC becomes less determinate with more features",
              bool((by_features["NCC"] < 0).all()),
              f"percentage points from {FEATURES[0]} to {FEATURES[-1]} features, by rows: "
              f"{_list(by_features['NCC'])}; it decreases with {listed(less)} rows"),
        Claim("9.3", "NDC becomes more determinate with more features",
              bool((np.diff(ndc, axis=0) > 0).all()),
              f"percentage points from {FEATURES[0]} to {FEATURES[-1]} features, by rows: "
              f"{_list(by_features['NDC'])}"),
    ]  # fmt: skip


def _list(values: Floats) -> str:
    return ", ".join(f"{value:+.1f}" for value in values)


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
)
