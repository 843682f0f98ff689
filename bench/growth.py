"""How the cost of the main jobs grows with rows, classes, attributes, groups and units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.measure import Curve, growth
from bench.weka import nominal_rows, numeric_rows

Job = Callable[[], object]


def curves() -> Iterator[Curve]:
    yield from scoring()
    yield from naive_credal()
    yield from trees()
    yield from engine()


def scoring() -> Iterator[Curve]:
    rows = (200_000, 500_000, 1_000_000, 2_000_000, 5_000_000)
    note = "blocks of rows cost the same each; more rows leave the caches of the processor"
    for curve in (
        growth("evaluate_sets, 10 classes", "rows", _sets_job, rows, 1.0, 10),
        growth("evaluate_probabilities, 5 classes", "rows", _probability_job, rows[:4], 1.0, 5),
    ):
        yield curve if curve.met else replace(curve, note=note)
    classes = (100, 1_000, 10_000, 100_000)
    yield growth("evaluate_sets, 200,000 sets of 5", "classes", _sparse_job, classes, 1.0)
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        path = Path(folder) / "rows.parquet"
        file_rows = (2_000_000, 5_000_000, 10_000_000, 20_000_000)
        yield growth(
            "wager score, a Parquet file", "rows", partial(_file_job, path), file_rows, 1.0
        )
        groups = (10_000, 30_000, 100_000, 300_000)
        yield growth(
            "wager score --by, 20 rows per group",
            "groups",
            partial(_group_job, path),
            groups,
            1.0,
            1,
        )


def _sets_job(n: int) -> Job:
    from wager.metrics import evaluate_sets

    rng = np.random.default_rng(0)
    sets, y = rng.random((n, 10)) < 0.3, rng.integers(0, 10, n)
    return lambda: evaluate_sets(y, sets)


def _probability_job(n: int) -> Job:
    from wager.metrics import evaluate_probabilities

    rng = np.random.default_rng(0)
    proba, y = rng.dirichlet(np.ones(5), n), rng.integers(0, 5, n)
    return lambda: evaluate_probabilities(y, proba)


def _sparse_job(n_classes: int) -> Job:
    from scipy.sparse import csr_array

    from wager.metrics import evaluate_sets

    rng, n = np.random.default_rng(0), 200_000
    first = rng.integers(0, n_classes - 5, n)
    members = (first[:, None] + np.arange(5)).ravel()
    shape = (n, n_classes)
    sets = csr_array((np.ones(5 * n, bool), members, np.arange(0, 5 * n + 1, 5)), shape=shape)
    y = first + rng.integers(0, 6, n)
    return lambda: evaluate_sets(y, sets, classes=np.arange(n_classes))


def _make_file(path: Path, n: int, n_groups: int) -> None:
    import duckdb

    con = duckdb.connect()
    con.execute("SET enable_progress_bar = false")
    con.execute(
        "COPY (SELECT CAST(floor(random() * 10) AS TINYINT) AS y_true, "
        "CAST(floor(random() * 1024) AS UBIGINT) AS mask, "
        f"CAST(floor(random() * {n_groups}) AS INTEGER) AS one FROM range({n})) TO '{path}'"
    )
    con.close()


def _file_job(path: Path, n: int) -> Job:
    from wager import scan_predictions

    _make_file(path, n, 1)
    return lambda: scan_predictions(path, range(10)).count()


def _group_job(path: Path, n_groups: int) -> Job:
    _make_file(path, 20 * n_groups, n_groups)
    classes = ",".join(map(str, range(10)))
    words = ["score", str(path), "--classes", classes, "--by", "one", "--format", "csv"]
    return lambda: _command([*words, "-o", str(path.with_suffix(".csv"))])


def _command(words: list[str]) -> None:
    """Run a command of wager in this process, without its exit."""
    import sys
    from unittest.mock import patch

    from wager.cli import main

    with patch.object(sys, "argv", ["wager", *words]):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"wager {' '.join(words)} failed") from end


def naive_credal() -> Iterator[Curve]:
    from wager.learners import NaiveCredal

    def job(n: int, m: int, k: int) -> Job:
        X, y = nominal_rows(n, m, 4, k)
        return lambda: NaiveCredal().fit(X, y).predict_set(X)

    what = "NaiveCredal, fit and predict"
    rows, attributes = (20_000, 50_000, 100_000, 200_000, 500_000), (10, 20, 40, 80)
    yield growth(what, "rows", lambda n: job(n, 20, 4), rows, 1.0)
    yield growth(what, "attributes", lambda m: job(50_000, m, 4), attributes, 1.0)
    yield growth(what, "classes", lambda k: job(20_000, 20, k), (2, 4, 8, 16, 32), 2.0)


def trees() -> Iterator[Curve]:
    from sklearn.tree import DecisionTreeClassifier

    from wager.learners import C45, CredalTree

    def job(data: Callable[..., Any], learner: Any, n: int) -> Job:
        X, y = data(n, 10)
        return lambda: learner().fit(X, y)

    rows = (10_000, 30_000, 100_000, 300_000)
    peer = growth("", "rows", partial(job, numeric_rows, DecisionTreeClassifier), rows, 1.1, 1)
    note = (
        "each level of a tree reads all rows of every column once, and trees of mixed classes "
        "become deeper with more rows: scikit-learn's DecisionTreeClassifier has the exponent "
        f"{peer.exponent:.2f} on the same rows"
    )
    for name, learner in (("C45", C45), ("CredalTree", CredalTree)):
        for kind, data in (("nominal", nominal_rows), ("numeric", numeric_rows)):
            what = f"{name}, fit, 10 {kind} attributes"
            curve = growth(what, "rows", partial(job, data, learner), rows, 1.1, 2)
            yield curve if curve.met else replace(curve, note=note)


def engine() -> Iterator[Curve]:
    from wager.experiments import Plan, run

    def job(datasets: list[Any], repeats: int) -> Job:
        learners = {"all": "vacuous", "one": "random-class"}
        scheme = {"n_folds": 10, "repeats": repeats}
        plan = Plan(datasets=datasets, learners=learners, scheme=scheme)

        def once() -> None:
            with TemporaryDirectory() as folder:
                run(plan, folder)

        return once

    units = (2_000, 4_000, 8_000)  # starting a worker takes as long as 1,000 of them
    yield growth(
        "experiment, trivial units", "units", lambda n: job(["iris"], n // 20), units, 1.0, 1
    )
    with TemporaryDirectory(prefix="wager-bench-") as folder:
        names = _data_sets(Path(folder), 200)
        yield growth(
            "experiment, 20 units per data set",
            "data sets",
            lambda n: job(names[:n], 1),
            (50, 100, 200),
            1.0,
            1,
        )


def _data_sets(folder: Path, n: int) -> list[dict[str, str]]:
    """Small tables that differ, as a plan names them."""
    rng, found = np.random.default_rng(0), []
    for i in range(n):
        path = folder / f"set{i}.csv"
        lines = [f"{a},{b},{'no' if a else 'yes'}" for a, b in rng.integers(0, 2, (200, 2))]
        path.write_text("a,b,class\n" + "\n".join(lines) + "\n", encoding="utf-8")
        found.append({"source": str(path), "target": "class"})
    return found
