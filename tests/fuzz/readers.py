"""Every reader of files, with valid files to start from and how each kind is damaged.

A case is a number: the same number gives the same reader and the same bytes.  One case again, with
its file kept and its answer printed:

    python -m tests.fuzz.readers NUMBER FILE
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
import pickle
import random
import shutil
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz import damage
from tests.fuzz.children import in_copy
from tests.shared import PROJECT

Damage = Callable[[Any, random.Random], bytes]
SHARE = 8  # cases of a fast reader for each of a slow one


class Reader(NamedTuple):
    """A function that reads a file, the ending of its name, what it starts from, and the damage."""

    call: Callable[[Path], Any]
    ending: str
    seeds: list[Any]
    damage: Damage
    share: int = SHARE


class TracebackError(Exception):
    """A command ended with something else than an exit status and a sentence."""


# -- valid files -----------------------------------------------------------------------------------

LABELS = ["a", "b", "c", "é|x"]
INTERVAL = {"lower": 0.1, "upper": 0.5}


def prediction_tables() -> list[dict[str, list[Any]]]:
    """Prediction files of every form, as columns."""
    y = (LABELS * 3)[:10]
    other = y[1:] + y[:1]
    n, k = len(y), len(LABELS)
    sets = [[a] if a == b else [a, b] for a, b in zip(y, other, strict=True)]
    joined = ["|".join(label.replace("|", "\\|") for label in each) for each in sets]
    masks = [sum(1 << LABELS.index(label) for label in each) for each in sets]
    more = {
        "id": list(range(n)),
        "weight": [0.5 + i for i in range(n)],
        "cluster": [f"c{i // 2}" for i in range(n)],
        "group": ["u", "v"] * (n // 2),
    }
    proba = {label: [0.1] * n for label in LABELS[1:]} | {"a": [0.7] * n}
    kinds: list[dict[str, list[Any]]] = [
        {"y_pred": other},
        {"set": joined},
        {"set": sets},
        {"mask": masks},
        {f"in:{label}": [int(label in each) for each in sets] for label in LABELS},
        {f"p:{label}": values for label, values in proba.items()},
        {
            f"{end}:{label}": [v] * n
            for label in LABELS
            for end, v in (("lower", 0.1), ("upper", 0.5))
        },
        {f"m:{label}": [float(i % (k + j)) for i in range(n)] for j, label in enumerate(LABELS)},
        {"class_1": other, "p_1": [0.6] * n, "class_2": y, "p_2": [0.4] * n},
    ]
    plain = [{"y_true": y} | kind for kind in kinds]
    return [
        *plain,
        *({**table, **more} for table in plain[:6]),
        {**plain[0], "count": [1 + i for i in range(n)]},
    ]


def _csv(table: dict[str, list[Any]]) -> bytes:
    import csv

    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow("|".join(each) if isinstance(each, list) else each for each in row)
    return out.getvalue().encode()


def _json_lines(table: dict[str, list[Any]]) -> bytes:
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    return "\n".join(map(json.dumps, rows)).encode()


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _zstd(data: bytes) -> bytes:
    import pyarrow as pa

    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as packed:
        packed.write(data)
    return out.getvalue().to_pybytes()


DATA = b"x,z,y\n1.5,u,a\n?,v,b\n3,u,a\n2.5,v,b\n0,u,a\n"
DATA_COLUMNS = {"x": [1.5, None, 3.0, 2.5, 0.0], "z": list("uvuvu"), "y": list("ababa")}
ARFF = [
    b"@relation r\n@attribute x numeric\n@attribute y {a,'b c'}\n@data\n1.5,a\n?,'b c'\n{0 2}\n",
    b"% r\n@RELATION 'a b'\n@ATTRIBUTE \"x y\" REAL\n@ATTRIBUTE d {1, 2}\n"
    b"@ATTRIBUTE s STRING\n@ATTRIBUTE c {u, v}\n@DATA\n1,2,'t, u',u\n-2e3,?,\"q\",v\n",
]
COSTS = [
    b'classes = ["a", "b"]\ncosts = [[0, 1], [2, 0]]\nunit = "EUR"\n',
    b'classes = ["a", "b", "c"]\nkind = "ordinal"\np = 2\n[extension]\nrule = "discounted"\n',
    b'classes = ["a", "b"]\ncosts = [[0, 1], [2, 0]]\n[sets]\n"a|b" = [0.5, 0.7]\n',
    b'classes = ["a", "b", "c"]\nkind = "ha"\neta = 0.5\n[extension]\nrule = "ha"\ndelta = 0.1\n',
    b'classes = ["a", "b", "c"]\nkind = "zero-one"\n[extension]\nrule = "p-discounted"\nr = 0.3\n'
    b'mode = "cautious"\n',
]
COSTS_CSV = [
    b"predicted,a,b\na,0,1\nb,2,0\na|b,0.5,0.6\n",
    b"predicted,a,b,c\na,0,1,2\nb,2,0,1\nc,3,1,0\n",
]
ANSWERS = [
    b'[[answer]]\nset = "a|b"\ntrue = "a"\ncost = 0.5\n\n[[answer]]\nset = ["a", "b"]\n'
    b'true = "b"\nthan = "a"\ntimes = 3\nrelation = "<="\n\n[[answer]]\nset = "a|b"\n'
    b"proba = { a = 0.5, b = 0.5 }\ncost = 0.5\n"
]
PLANS = [
    b'datasets = ["iris"]\nmeasures = ["u65"]\nscheme = "5x2"\n[learners]\nall = "vacuous"\n'
    b'[learners.ncc]\nlearner = "naive-credal"\nparams = { s = 2 }\n'
    b'[prepare]\ndiscretize = "mdl"\n',
    b'seed = 3\nname = "x"\npredictions = true\ntime_limit = 10\nmemory_limit = "1 GB"\n'
    b"clip = 1e-6\n"
    b'datasets = ["iris", { source = "d.csv", target = "y", name = "d" }]\nempty_cost = 2\n'
    b'costs = "costs.toml"\n[scheme]\nkind = "cross-validation"\nn_folds = 2\nrepeats = 2\n'
    b'[learners]\nnbc = { learner = "naive-bayes", params = { prior = "laplace" } }\n'
    b'[prepare]\ndiscretize = "equal-frequency"\nn_bins = 3\nselect = "cfs"\nimpute = "fold"\n',
]
RUNS = b"study,seed,fits,failed,compared,different\nyang-2017-tables,1,10,0,5,0\n"
CLAIMS = b'where,claim,verdict\n"2017, Table 1",x,holds\n2017,y,"does not hold"\n'


class Seeds(NamedTuple):
    """Valid files that wager itself writes; made once, in a copy of the process."""

    tallies: dict[str, list[bytes]]
    learners: list[bytes]
    learner_texts: list[bytes]
    stores: list[bytes]
    logs: list[bytes]
    log_base: bytes
    page: bytes
    monitor: bytes
    utilities: list[bytes]


@cache
def seeds() -> Seeds:
    """The files of `Seeds`; a copy makes them, since copies cannot use threads of this process."""
    _import_all()
    made: Seeds = pickle.loads(in_copy(lambda: pickle.dumps(_make_seeds())))
    return made


LIBRARIES = [
    "duckdb", "matplotlib.pyplot", "pandas", "polars", "pyarrow.parquet", "pyarrow.ipc",
    "scipy.sparse", "sklearn.linear_model", "wager.cli._saved", "wager.experiments", "wager.report",
    "tests.experiments.filled",
]  # fmt: skip


def _import_all() -> None:
    """Import what cases use, so that copies of this process need not."""
    for name in LIBRARIES:
        importlib.import_module(name)


def _make_seeds() -> Seeds:
    import numpy as np

    from tests.experiments.filled import fill
    from wager import Plan, load_dataset
    from wager.cli._saved import save_model
    from wager.compare import Monitor, PairedCosts, PairedProbabilities, SequentialState
    from wager.costs import CostTally
    from wager.experiments import Preparation, fit_learner
    from wager.experiments.store._database import open_to_write
    from wager.report import monitor_log, report_data
    from wager.rewards import ClassTally, PairedTally, ProbabilityTally, Tally

    y, other = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    proba = np.full((4, 3), 1 / 3)
    groups, weight = [1, 1, 2, 2], [0.5, 1, 2, 3]
    monitor = Monitor.start(coverage=0.9, window=4).update(
        ["a"] * 6, [["a", "b"]] * 4 + [["b"]] * 2
    )
    tallies = {
        Tally: [Tally.of(y, other), Tally.of(y, other, groups=groups, sample_weight=weight)],
        ClassTally: [ClassTally.of(y, other)],
        PairedTally: [PairedTally.of(y, other, y), PairedTally.of(y, other, y, groups=groups)],
        CostTally: [CostTally.of(y, other), CostTally.of(y, other, sample_weight=weight)],
        ProbabilityTally: [
            ProbabilityTally.of(y, proba),
            ProbabilityTally.of(y, proba, groups=groups),
        ],
        PairedCosts: [PairedCosts.of(y, other, y)],
        PairedProbabilities: [PairedProbabilities.of(y, proba, proba)],
        SequentialState: [SequentialState()],
        Monitor: [monitor],
    }
    texts = {
        kind.__name__: [each.to_json().encode() for each in found]
        for kind, found in tallies.items()
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, plain = folder / "m.npz", folder / "plain.npz"
        learners, learner_texts = [], []
        for kind in ("naive-bayes", "c45"):
            save_model(path, fit_learner(load_dataset("iris"), kind, {}, Preparation()))
            with np.load(path) as arrays:
                np.savez(plain, **arrays)
                learner_texts.append(arrays["model"].tobytes())
            learners += [path.read_bytes(), plain.read_bytes()]
        plan = Plan(
            datasets=["iris"],
            learners={"nbc": "naive-bayes", "all": "vacuous"},
            scheme={"n_folds": 2, "repeats": 2},
            prepare={"discretize": "mdl"},
        )
        fill(plan, folder / "whole")
        whole = (folder / "whole" / "results.sqlite").read_bytes()
        fill(plan, folder / "part", 1)
        with open_to_write(folder / "part") as writer:  # a log that is not yet in the database
            writer.begin(plan.model_dump_json(), plan.units())
            base = (folder / "part" / "results.sqlite").read_bytes()
            log = (folder / "part" / "results.sqlite-wal").read_bytes()
        csv = folder / "log.csv"
        csv.write_bytes(_csv(prediction_tables()[1]))
        monitor_log(csv, folder / "state.json", coverage=0.9)
        page = json.dumps(report_data(tallies[Tally][0])).encode()
        state = (folder / "state.json").read_bytes()
        utilities = _utilities(folder)
    stores = [whole, whole, _earlier_store()]
    return Seeds(texts, learners, learner_texts, stores, [log], base, page, state, utilities)


def _utilities(folder: Path) -> list[bytes]:
    """Files of utilities of every kind, also of those that answers gave."""
    from wager.rewards import HumanUtility, Tabulated, get_utility, write_utility
    from wager.rewards.elicit import Session

    found = [b'kind = "quadratic"\nu_half = 0.7\n']
    session = Session(3)
    while session.question is not None:
        session = session.answer("set")
    for kind in ("tabulated", "quadratic", "exponential"):
        session.result().write(folder / "u.toml", kind)
        found.append((folder / "u.toml").read_bytes())
    human = HumanUtility([0.9, 0.8, 0.6], n=[50, 40, 30], cost=0.1)
    names = ("exp-norm:2", "f1", "log")
    for utility in (*map(get_utility, names), Tabulated([1, 0.7, 0.5]), human):
        write_utility(utility, folder / "u.toml")
        found.append((folder / "u.toml").read_bytes())
    return found


def _earlier_store() -> bytes:
    """A store of version 0.1.0, which has no checksums."""
    text = PROJECT / "tests" / "experiments" / "store" / "store_0_1_0.sql"
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(text.read_text(encoding="utf-8"))
        return database.serialize()


# -- readers ---------------------------------------------------------------------------------------


@cache
def readers() -> dict[str, Reader]:
    """Every reader of files and texts, by name."""
    return _texts() | _tables() | _data_sets() | _stores() | _commands()


def _texts() -> dict[str, Reader]:
    import numpy as np

    import wager.compare
    import wager.rewards
    from wager import Plan, get_utility
    from wager.costs import CostTally, read_answers, read_costs
    from wager.experiments.study._overview import verdict_counts
    from wager.experiments.study._runs import read_runs
    from wager.report import LogMonitor

    made = seeds()

    def by_json(name: str) -> Callable[[Path], Any]:
        kinds = {"CostTally": CostTally} | vars(wager.compare) | vars(wager.rewards)
        kind = kinds.get(name) or getattr(wager.compare, name)
        return lambda path: repr(kind.from_json(path.read_bytes()))

    def plan(path: Path) -> None:
        path.with_name("d.csv").write_bytes(DATA)
        path.with_name("costs.toml").write_bytes(COSTS[0])
        try:
            Plan.load(path)
        except ValueError:
            command("run", path, "--dry", "--no-import", "-o", path.with_name("out"))
            raise

    def learner(path: Path) -> None:
        from wager.cli._saved import load_model
        from wager.experiments import FittedLearner

        load_model(path, FittedLearner)

    def learner_of_text(path: Path) -> None:
        """With the checksums of the damaged description, which else would refuse it."""
        archive = path.with_suffix(".npz")
        content = path.read_bytes()
        of_tree = b"C45" in content
        with np.load(io.BytesIO(made.learners[2 if of_tree else 0])) as arrays:
            text = np.frombuffer(content, dtype=np.uint8)
            np.savez(archive, **(dict(arrays) | {"model": text}))
        learner(archive)

    def claims(path: Path) -> None:
        folder = path.with_name("results") / "s"
        folder.mkdir(parents=True, exist_ok=True)
        from wager.experiments.study._overview import CLAIMS, slug

        shutil.copy(path, folder / f"{slug(CLAIMS)}.csv")
        verdict_counts(path.with_name("results"), "s")

    def checksums(path: Path) -> None:
        from wager.cli.study import _checksums

        _checksums(path)

    tallies = {
        f"{name} JSON": Reader(by_json(name), "json", found, damage.json_text)
        for name, found in made.tallies.items()
    }
    classes = np.array(["a", "b"])
    return tallies | {
        "monitor state": Reader(
            lambda p: LogMonitor.from_json(p.read_text("utf-8", errors="replace"), str(p)),
            "json",
            [made.monitor],
            damage.json_text,
        ),
        "saved learner": Reader(learner, "npz", made.learners, damage.damaged_bytes, 2),
        "saved learner, text": Reader(
            learner_of_text, "txt", made.learner_texts, damage.json_text, 2
        ),
        "costs toml": Reader(read_costs, "toml", COSTS, damage.toml_text),
        "costs csv": Reader(read_costs, "csv", COSTS_CSV, damage.csv_text),
        "answers toml": Reader(
            lambda p: read_answers(p, classes), "toml", ANSWERS, damage.toml_text
        ),
        "utility toml": Reader(
            lambda p: get_utility(str(p)), "toml", made.utilities, damage.toml_text
        ),
        "plan toml": Reader(plan, "toml", PLANS, damage.toml_text, 4),
        "study runs csv": Reader(read_runs, "csv", [RUNS], damage.csv_text, 2),
        "study claims csv": Reader(claims, "csv", [CLAIMS], damage.csv_text, 2),
        "study checksums csv": Reader(
            checksums, "csv", [b"data set,rows,checksum\niris,150,abc\n"], damage.csv_text, 2
        ),
    }


def _tables() -> dict[str, Reader]:
    from wager.predictions import read_predictions, scan_predictions
    from wager.rewards import Tally

    def predictions(path: Path) -> None:
        some = chosen(path, {"classes": LABELS, "na": "drop", "by": "group", "once": True})
        content = path.read_bytes()
        given = {"classes": LABELS if b"mask" in content else some.get("classes")}
        if some.get("once"):
            read_predictions(path, **given, na=some.get("na", "error"))
        else:
            by = some.get("by") if b"group" in content else None
            scan_predictions(path, **given, by=by).read()
        Tally.of_file(path, **given, na=some.get("na", "error"))

    tables = prediction_tables()
    flat = [table for table in tables if not any(isinstance(v, list) for v in table.get("set", []))]
    csv, lines = [_csv(table) for table in flat], [_json_lines(table) for table in tables]
    found = {
        "predictions csv": Reader(predictions, "csv", csv, damage.csv_text, 4),
        "predictions jsonl": Reader(predictions, "jsonl", lines, damage.json_lines, 4),
        "predictions parquet": Reader(predictions, "parquet", tables, damage.columns("parquet"), 3),
        "predictions arrow": Reader(predictions, "arrow", tables, damage.columns("arrow"), 4),
        "predictions arrow stream": Reader(
            predictions, "arrow", tables, damage.columns("arrow stream"), 1
        ),
    }
    for ending, pack in PACKED.items():
        ways = ((csv, damage.csv_text, "csv"), (lines, damage.json_lines, "jsonl"))
        for valid, way, format_ in ways:
            found[f"predictions {format_}.{ending}"] = Reader(
                predictions, f"{format_}.{ending}", valid, damage.compressed(way, pack), 1
            )
    return found


PACKED = {"gz": _gzip, "bz2": bz2.compress, "xz": lzma.compress, "zst": _zstd}


def _data_sets() -> dict[str, Reader]:
    from wager import load_dataset

    def data(path: Path) -> None:
        found = load_dataset(path, target="y")
        repr(found)

    def arff(path: Path) -> None:
        repr(load_dataset(path))

    found = {
        "data csv": Reader(data, "csv", [DATA], damage.csv_text, 2),
        "data parquet": Reader(data, "parquet", [DATA_COLUMNS], damage.columns("parquet"), 2),
        "data arff": Reader(arff, "arff", ARFF, damage.damaged_bytes),
        "data arff.gz": Reader(
            arff, "arff.gz", ARFF, damage.compressed(damage.damaged_bytes, _gzip)
        ),
    }
    for ending, pack in PACKED.items():
        found[f"data csv.{ending}"] = Reader(
            data, f"csv.{ending}", [DATA], damage.compressed(damage.csv_text, pack), 1
        )
    return found


def _stores() -> dict[str, Reader]:
    from wager.experiments import Store

    made = seeds()

    def answers(folder: Path) -> None:
        store = Store(folder)
        for ask in (
            lambda: repr(store),
            lambda: (store.datasets, store.learners, store.counts(), store.plan, store.measures),
            lambda: store.scores("u65").values,
            lambda: store.scores("log_loss", pooled=True).values,
            lambda: (store.versions(), store.failures()),
            lambda: store.columns(),
            lambda: store.frame(),
            lambda: repr(store.pivot("u65")),
            lambda: repr(store.folds("iris")),
            lambda: repr(store.tally("iris", "nbc")),
            lambda: store.tallies("iris", "all"),
            lambda: repr(store.paired("iris", "nbc", "all").difference("u80").mean),
            lambda: store.pairs("iris", "nbc", "all"),
            lambda: store.probabilities("iris", "nbc"),
            lambda: store.outcome_shares(),
            lambda: store.chosen("iris", "nbc"),
            lambda: store.done(),
        ):
            with suppress(ValueError):
                ask()

    def read(path: Path) -> None:
        folder = _store_folder(path)
        shutil.copy(path, folder / "results.sqlite")
        answers(folder)
        with suppress(ValueError, OSError):
            Store(folder).repair()
        answers(folder)

    def read_log(path: Path) -> None:
        folder = _store_folder(path)
        (folder / "results.sqlite").write_bytes(made.log_base)
        shutil.copy(path, folder / "results.sqlite-wal")
        answers(folder)
        with suppress(ValueError, OSError):
            Store(folder).repair()
        answers(folder)

    return {
        "store": Reader(read, "sqlite", made.stores, damage.store, 3),
        "store log": Reader(read_log, "wal", made.logs, damage.damaged_bytes, 1),
    }


def _store_folder(path: Path) -> Path:
    folder = path.with_name("store")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


# -- the command line ------------------------------------------------------------------------------


def _commands() -> dict[str, Reader]:
    made = seeds()
    tables = prediction_tables()
    csv = [_csv(table) for table in tables if not isinstance(table.get("set", [""])[0], list)]
    good, for_costs = _csv(tables[1]), b"y_true,set\na,a|b\nb,b\na,b\nb,a|b\na,a\n"

    def with_good(path: Path) -> Path:
        other = path.with_name("good.csv")
        other.write_bytes(good)
        return other

    def score(path: Path) -> None:
        command("score", path, *options(path, SCORE))

    def compare(path: Path) -> None:
        command("compare", path, with_good(path), *options(path, COMPARE))

    def report(path: Path) -> None:
        command("report", path, "-o", path.with_name("page.html"), *options(path, REPORT))

    def monitor(path: Path) -> None:
        state = path.with_name("state.json")
        state.unlink(missing_ok=True)
        for _ in range(2):
            command("monitor", path, "--coverage", "0.9", "--state", state, *options(path, LOG))

    def state(path: Path) -> None:
        command("monitor", with_good(path), "--state", path, *options(path, FORMATS))

    def costs(path: Path) -> None:
        way = zlib.crc32(path.read_bytes()) % 4
        if way == 0:
            command("costs", "audit", path, *options(path, COST_OPTIONS))
        elif way == 1:
            command("costs", "extend", path, *options(path, COST_OPTIONS))
        elif way == 2:
            other = path.with_name("good.csv")
            other.write_bytes(for_costs)
            command("score", other, "--costs", path, *options(path, FORMATS))
        else:
            others = path.with_name("good.csv"), path.with_name("other.csv")
            for other in others:
                other.write_bytes(for_costs)
            command("compare", *others, "--costs", path)

    def answers(path: Path) -> None:
        other = path.with_name("costs.toml")
        other.write_bytes(COSTS[0])
        command("costs", "complete", other, path, *options(path, FORMATS))

    def utility(path: Path) -> None:
        command("score", with_good(path), "-u", path, *options(path, FORMATS))

    def classes(path: Path) -> None:
        command("score", with_good(path), "--classes", f"@{path}")

    def fit(path: Path) -> None:
        other = path.with_name("test.csv")
        other.write_bytes(DATA)
        both = (path, other) if zlib.crc32(path.read_bytes()) % 2 else (other, path)
        out = path.with_name("out.csv")
        command("fit", "naive-bayes", *both, "--target", "y", "-o", out, *options(path, FIT))

    def predict(path: Path) -> None:
        other = path.with_name("test.csv")
        other.write_bytes(DATA)
        command("predict", path, other, "--target", "y", "-o", path.with_name("out.csv"))

    def results(path: Path) -> None:
        folder = _store_folder(path)
        shutil.copy(path, folder / "results.sqlite")
        command("results", folder, *options(path, RESULTS))
        way = zlib.crc32(path.read_bytes()) % 3
        if way == 0:
            command("report", folder, "-o", path.with_name("page.html"))
        elif way == 1:
            command("compare", folder)
        command("results", folder, "--repair")
        command("results", folder)

    def elicit(path: Path) -> None:
        out = path.with_name("u.toml")
        text = path.read_bytes().decode("utf-8", "replace")
        command("elicit", "-k", "3", "-o", out, *options(path, ELICIT), typed=text)

    return {
        "wager score csv": Reader(score, "csv", csv, damage.csv_text, 2),
        "wager score jsonl": Reader(
            score, "jsonl", [_json_lines(table) for table in tables], damage.json_lines, 2
        ),
        "wager score parquet": Reader(score, "parquet", tables, damage.columns("parquet"), 1),
        "wager score arrow": Reader(score, "arrow", tables, damage.columns("arrow"), 1),
        "wager compare": Reader(compare, "csv", csv, damage.csv_text, 2),
        "wager report": Reader(report, "csv", csv, damage.csv_text, 1),
        "wager report json": Reader(
            report, "json", [made.page, *made.tallies["Tally"]], damage.json_text, 1
        ),
        "wager monitor": Reader(monitor, "csv", csv[:3], damage.csv_text, 1),
        "wager monitor state": Reader(state, "json", [made.monitor], damage.json_text, 2),
        "wager costs toml": Reader(costs, "toml", COSTS, damage.toml_text, 2),
        "wager costs csv": Reader(costs, "csv", COSTS_CSV, damage.csv_text, 2),
        "wager costs complete": Reader(answers, "toml", ANSWERS, damage.toml_text, 2),
        "wager score -u": Reader(utility, "toml", made.utilities, damage.toml_text, 1),
        "wager score --classes": Reader(
            classes, "txt", ["a\nb\nc\né|x\n".encode()], damage.damaged_bytes, 1
        ),
        "wager fit": Reader(fit, "csv", [DATA], damage.csv_text, 1),
        "wager predict": Reader(predict, "npz", made.learners[:2], damage.damaged_bytes, 1),
        "wager results": Reader(results, "sqlite", made.stores, damage.store, 1),
        "wager elicit": Reader(elicit, "txt", [b"s\nc\n=\ns\nc\n" * 6], damage.damaged_bytes, 1),
    }


FORMATS: dict[str, list[str]] = {
    "-f": ["text", "json", "csv", "markdown", "latex"],
}
COLUMNS: dict[str, list[str]] = {
    "--na": ["drop", "drop", "error"],
    "--classes": ["a,b,c,é|x", "a,b"],
    "--form": ["label", "set", "mask", "in", "p", "interval", "m"],
    "--cluster": ["cluster", "group"],
    "--weight": ["weight", "y_true"],
    "--truth": ["y_true", "id"],
}
SCORE = FORMATS | COLUMNS | {
    "--all": [""],
    "--by-class": [""],
    "--by": ["group", "y_true", "x"],
    "--top": ["1", "0"],
    "--sort": ["u65", "-rows", "x"],
    "--level": ["0.9", "1", "nan"],
    "--rule": ["interval-dominance", "gamma-maximin"],
    "--prior": ["0.5,0.3,0.1,0.1", "1"],
    "--memberships": ["softmax", "shift", "rank", "none"],
    "--sharpness": ["0", "1e300"],
    "-u": ["u65", "log-norm", "exp-norm:2", "f1e200", "0.7"],
}  # fmt: skip
COMPARE = FORMATS | COLUMNS | {
    "--plan": [""],
    "--margin": ["0.1", "inf"],
    "--power": ["0.9", "2"],
    "--clip": ["1e-6"],
    "-u": ["u65", "u80", "2"],
    "--names": ["x,y", "x,x"],
}  # fmt: skip
REPORT = COLUMNS | {"--by": ["group"], "--rows": ["5"], "--full": [""], "--title": ["<b>"]}
LOG = FORMATS | {
    "--na": ["drop"],
    "--classes": ["a,b,c,é|x"],
    "--form": ["set", "label"],
    "--target": ["0.8"],
    "--window": ["2"],
    "--side": ["both"],
}
COST_OPTIONS = FORMATS | {
    "--rule": ["discounted", "p-discounted", "ha", "abellan-masegosa", "utility"],
    "--r": ["0.9", "2"],
    "--mode": ["mistake-averse"],
    "--p": ["-3", "nan"],
    "--epsilon": ["0.1", "inf"],
    "--delta": ["0.2"],
}
FIT = {
    "--discretize": ["mdl", "equal-frequency"],
    "--select": ["cfs"],
    "--impute": [""],
    "--classes": ["a,b,c"],
    "--rows": ["disk", "memory"],
}
RESULTS = FORMATS | {
    "-m": ["u65", "log_loss", "x"],
    "--pooled": [""],
    "--failures": [""],
    "--baseline": ["all", "x"],
}
ELICIT = {"--sizes": ["2", "2,3", "9"], "--kind": ["quadratic", "exponential"], "--no-check": [""]}


def options(path: Path, among: dict[str, list[str]]) -> list[str]:
    """Some options of a command, which follow from the file."""
    rng = random.Random(zlib.crc32(path.read_bytes()))
    words = []
    for name in rng.sample(sorted(among), min(len(among), rng.choice([0, 0, 0, 1, 2]))):
        value = rng.choice(among[name])
        words += [name, value] if value else [name]
    return words


def chosen(path: Path, among: dict[str, Any]) -> dict[str, Any]:
    """Some arguments of a function, which follow from the file."""
    rng = random.Random(zlib.crc32(path.read_bytes()))
    return {name: value for name, value in among.items() if rng.random() < 0.5}


SENTENCES: list[tuple[int, str]] = []  # what the last commands printed, with their exit status


def command(*words: Any, typed: str = "") -> None:
    """Run a command in this process: it must end with an exit status and without a traceback."""
    import warnings

    import typer

    from wager.cli import app

    out, errors, status = io.StringIO(), io.StringIO(), 0
    stdin, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        with redirect_stdout(out), redirect_stderr(errors), warnings.catch_warnings():
            _click(typer, app).main([str(word) for word in words], prog_name="wager")
    except SystemExit as ending:
        status = int(ending.code or 0) if not isinstance(ending.code, str) else 99
    except Exception as problem:
        raise TracebackError(f"{words}: {type(problem).__name__}: {problem}") from problem
    finally:
        sys.stdin = stdin
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    said = errors.getvalue()
    SENTENCES.append((status, said))
    if status not in (0, 1, 2):
        raise TracebackError(f"{words}: the exit status is {status}: {said[-200:]}")
    if "Traceback (most" in said or "Traceback (most" in out.getvalue():
        raise TracebackError(f"{words}: {said[-300:]}")
    if status == 2 and not said.strip():
        raise TracebackError(f"{words}: no sentence")


@cache
def _click(typer: Any, app: Any) -> Any:
    return typer.main.get_command(app)


# -- cases -----------------------------------------------------------------------------------------


@cache
def _order() -> list[str]:
    """The readers in the order of the cases: each as often as its share."""
    found = readers()
    return [
        name
        for turn in range(max(reader.share for reader in found.values()))
        for name in sorted(found)
        if turn < found[name].share
    ]


def round_length() -> int:
    """The number of cases after which the readers come again."""
    return len(_order())


def reader_of(number: int) -> str:
    """The name of the reader of a case."""
    order = _order()
    return order[number % len(order)]


def content_of(number: int) -> bytes:
    """The damaged file of a case."""
    reader = readers()[reader_of(number)]
    rng = random.Random(number)
    return reader.damage(rng.choice(reader.seeds), rng)


def attempt(number: int, folder: Path) -> str | None:
    """Read the file of a case; returns the fault, if it is one."""
    _share_databases()
    name = reader_of(number)
    reader = readers()[name]
    path = folder / f"case{number}.{reader.ending}"  # DuckDB keeps what it read by name and time
    path.write_bytes(content_of(number))
    try:
        reader.call(path)
    except (ValueError, NotImplementedError) as problem:  # commands print it as one sentence
        if isinstance(problem, NotImplementedError | UnicodeError):  # of Python, without the place
            return f"{name}: {type(problem).__name__}: {problem}"[:500]
        if "\n" in str(problem) and name != "plan toml":
            return f"{name}: more than one line: {problem}"[:500]
    except Exception as problem:
        return f"{name}: {type(problem).__name__}: {problem}"[:500]
    finally:
        path.unlink(missing_ok=True)
    return None


_DATABASES: dict[str, Any] = {}


def _share_databases() -> None:
    """One DuckDB for all cases of a process: a new one takes longer than a case."""
    import os

    if _DATABASES.get("process") == os.getpid():
        with suppress(Exception):
            _DATABASES["shared"].execute("SELECT 1")
            return
    import duckdb

    from tests.databases import open_shared
    from wager.predictions.files._database import _Connection

    connect = _DATABASES.setdefault("connect", duckdb.connect)
    shared = connect()
    _DATABASES.update(process=os.getpid(), shared=shared)

    def connect_shared(*words: Any, **settings: Any) -> Any:
        if words or settings:
            return connect(*words, **settings)
        shared.execute("DROP TABLE IF EXISTS cells")  # of `wager.prepare`
        return shared.cursor()

    duckdb.connect = connect_shared
    known = open_shared.__globals__["_of_process"]
    # that of the process this one is a copy of: to close it here would crash
    _DATABASES["kept"] = known(os.getppid())
    known.cache_clear()
    _Connection.open = open_shared  # type: ignore[method-assign]


if __name__ == "__main__":
    case, kept = int(sys.argv[1]), Path(sys.argv[2])
    kept.write_bytes(content_of(case))
    print(reader_of(case))
    with tempfile.TemporaryDirectory() as where:
        print(attempt(case, Path(where)))
    for status, sentence in SENTENCES:
        print(status, sentence, end="")
