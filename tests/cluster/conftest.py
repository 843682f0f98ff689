"""One Dask cluster of two worker processes for all tests of this folder, and rows to count."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from wager import _dask
from wager._dask import dask_client
from wager.cli import app
from wager.predictions.files import _parts
from wager.prepare import _row_parts

CLASSES = ["a", "b", "c"]
N_ROWS, IN_A_GROUP = 600, 150  # rows of a file, and of each of its row groups


@pytest.fixture(scope="package")
def client():
    with dask_client(2) as client:
        yield client


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Every row group is a part, also of a small file."""
    monkeypatch.setattr(_parts, "_ROWS", 1)
    monkeypatch.setattr(_row_parts, "_NUMBERS", 1)


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """The scheduler of these tests is there, and may be slow to answer on a busy machine."""
    monkeypatch.setattr(_dask, "_SECONDS", 60.0)


@pytest.fixture
def wager(client):
    """Call the command line, on one machine or with the workers of the cluster."""

    def call(*arguments, engine="local"):
        chosen = []
        if engine == "dask":
            chosen = ["--engine", "dask", "--dask-address", client.scheduler.address]
        result = CliRunner().invoke(app, [*map(str, arguments), *chosen])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    return call


def predictions(form, seed=0):
    """Columns of a prediction file in one of the forms, with empty and full sets."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(3), N_ROWS)
    masks = rng.integers(0, 8, N_ROWS)
    said = {
        "label": {"y_pred": rng.choice(CLASSES, N_ROWS)},
        "set": {"set": ["|".join(c for i, c in enumerate(CLASSES) if m >> i & 1) for m in masks]},
        "mask": {"mask": masks.astype(np.uint64)},
        "in": {f"in:{c}": masks >> i & 1 for i, c in enumerate(CLASSES)},
        "p": {f"p:{c}": proba[:, i] for i, c in enumerate(CLASSES)},
        "interval": {
            f"{end}:{c}": np.clip(proba[:, i] + shift, 0, 1)
            for end, shift in (("lower", -0.1), ("upper", 0.1))
            for i, c in enumerate(CLASSES)
        },
    }[form]
    # the same truth in all files, so that they can be compared
    return {"y_true": np.random.default_rng(99).choice(CLASSES, N_ROWS), **said}


def units(*names):
    """Columns that say what each row counts for; clusters are divided between the parts."""
    rng = np.random.default_rng(7)
    every = {
        "weight": rng.random(N_ROWS),
        "count": rng.integers(0, 4, N_ROWS),
        "cluster": rng.integers(0, 150, N_ROWS),
        "user": rng.integers(0, 8, N_ROWS),
    }
    return {name: every[name] for name in names}


def write(path, columns, rows_in_a_group=IN_A_GROUP):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=rows_in_a_group)
    return path


def numbers(data):
    """All numbers in plain data, in order, and everything else."""
    if isinstance(data, dict):
        parts = [numbers(value) for value in data.values()]
    elif isinstance(data, list | tuple):
        parts = [numbers(value) for value in data]
    elif isinstance(data, int | float) and not isinstance(data, bool):
        return [float(data)], []
    else:
        return [], [data]
    return [x for part in parts for x in part[0]], [x for part in parts for x in part[1]]


def assert_close(data, other, tolerance=1e-12):
    """The same words, and numbers that differ by rounding errors at most."""
    (mine, words), (theirs, others) = numbers(data), numbers(other)
    assert words == others
    np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)
