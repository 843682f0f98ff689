"""What an attacker would try with a file for ``wager predict``, beyond naming functions."""

import io
import json
import os
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from tests.cli.test_saved import archive
from tests.shared import PROJECT
from wager.cli import _saved
from wager.cli._memory import at_most_more_memory
from wager.cli._saved import load_model, save_model
from wager.experiments import FittedLearner, Preparation, fit_learner
from wager.prepare import load_dataset

IS_NOT = "is not a saved learner"


def saved(tmp_path, learner, change, preparation=None):
    """A file with a trained learner that was changed before it was saved."""
    prepared = preparation or Preparation(discretize="mdl")
    model = fit_learner(load_dataset("iris"), learner, {}, prepared)
    change(model)
    save_model(tmp_path / "m.npz", model)
    return tmp_path / "m.npz"


def described(path):
    """The text of a file, and its arrays."""
    with np.load(path) as arrays:
        return json.loads(arrays["model"].tobytes()), {
            name: arrays[name] for name in arrays.files if name != "model"
        }


def rewritten(path, change):
    """The file with another description of its object."""
    text, arrays = described(path)
    change(text["value"])
    return archive(path, text["value"], **arrays)


def state(value):
    """The attributes in the description of an object, as a dictionary of positions."""
    pairs = value["state"]["dict"]
    return {name: i for i, (name, _) in enumerate(pairs)}, pairs


# -- nothing but data ----------------------------------------------------------------------------


def nothing(model):
    pass


@pytest.mark.parametrize("name", ["predict_set", "predict", "__class__", "fit", 5])
def test_an_attribute_cannot_take_the_place_of_a_method(name, tmp_path):
    def add(value):
        places, pairs = state(value)
        state(pairs[places["model"]][1])[1].append([name, 1])

    path = rewritten(saved(tmp_path, "vacuous", nothing), add)
    with pytest.raises(ValueError, match=f"{IS_NOT}.*cannot be an attribute of Vacuous"):
        load_model(path, FittedLearner)


@pytest.mark.parametrize(
    "value",
    [
        {"function": ["wager.learners._registry", "make_learner"], "cells": []},
        {"function": ["wager.learners._registry", "find_learner"], "cells": []},
        {"function": ["wager.prepare._load", "load_dataset"], "cells": []},
        {"function": ["wager.costs._read_costs", "read_costs"], "cells": []},
        {"function": ["wager.experiments.plan._prepare", "Preparation.identity"], "cells": []},
        {"class": ["wager.learners.naive._bayes", "NaiveBayes"]},
        {"object": ["wager.experiments.store._store", "Store"], "state": {"dict": []}},
        {"object": ["wager.predictions.files._source", "Source"], "state": {"dict": []}},
        {"object": ["sklearn.svm._classes", "SVC"], "state": {"dict": []}},
        {"object": ["sklearn.neighbors._classification", "KNeighborsClassifier"],
         "state": {"dict": []}},
        {"object": ["sklearn.ensemble._voting", "VotingClassifier"], "state": {"dict": []}},
        {"object": ["sklearn.linear_model._logistic.LogisticRegression", "x"], "state": {}},
    ],
    ids=lambda value: next(iter(value.values()))[1],
)  # fmt: skip
def test_only_what_learners_consist_of_can_be_named(value, tmp_path):
    with pytest.raises(ValueError, match=IS_NOT) as caught:
        load_model(archive(tmp_path / "m.npz", value), FittedLearner)
    assert "is not a saved learner:" not in str(caught.value)  # refused before it was made


def test_a_file_does_not_decide_how_many_processes_are_started(tmp_path):
    def many(model):
        model.model.n_jobs = 10_000

    path = saved(tmp_path, "vacuous", many, preparation=Preparation())
    assert load_model(path, FittedLearner).model.n_jobs is None


# -- numbers that point outside of arrays --------------------------------------------------------

PREDICT = """
import sys
from typer.testing import CliRunner
from wager.cli import app
done = CliRunner().invoke(app, ["predict", *sys.argv[1:]])
sys.stderr.write(done.stderr)
sys.exit(done.exit_code)
"""


def rows_of(tmp_path, repeats=1):
    """A file with rows of irises."""
    names = ",".join([*load_dataset("iris").columns, "class"])
    (tmp_path / "rows.csv").write_text(f"{names}\n" + "5.1,3.5,1.4,0.2,setosa\n" * repeats)
    return tmp_path / "rows.csv"


def predicted(path, tmp_path, **variables):
    """The process of ``wager predict``, on its own: it could crash."""
    arguments = [path, rows_of(tmp_path), "--target", "class", "-o", tmp_path / "out.csv"]
    return subprocess.run(
        [sys.executable, "-c", PREDICT, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT,
        env={**os.environ, **variables},
    )


@pytest.mark.long
def test_compiled_loops_do_not_read_outside_of_their_arrays(tmp_path):
    def far_away(model):
        (name,) = (n for n, v in vars(model.model).items() if type(v).__name__ == "_TreeModel")
        tree = getattr(model.model, name)
        setattr(model.model, name, tree._replace(start=np.full_like(tree.start, 10**9)))

    path = saved(tmp_path, "tan", far_away)
    done = predicted(path, tmp_path, WAGER_COMPILE="always", NUMBA_CACHE_DIR=str(tmp_path))
    assert done.returncode == 2, done.stderr
    assert "cannot predict" in done.stderr
    assert "IndexError" in done.stderr


@pytest.mark.parametrize("first", [0, -1, 10**9, 2**63 - 1])
def test_a_tree_whose_children_are_not_after_their_parents_is_refused(first, tmp_path):
    def turned(model):
        for name, value in vars(model.model).items():
            if type(value).__name__ == "TreeNodes":
                changed = value._replace(first=np.full_like(value.first, first))
                setattr(model.model, name, changed)

    path = saved(tmp_path, "c45", turned, preparation=Preparation())
    with pytest.raises(ValueError, match="nodes of a tree are not in order"):
        load_model(path, FittedLearner)


@pytest.mark.parametrize("wrong", [None, "a", -1, float("nan"), {"list": []}])
def test_attributes_of_another_kind_are_one_sentence(wrong, tmp_path, wager):
    path = saved(tmp_path, "naive-bayes", nothing)
    rows = rows_of(tmp_path)
    text, _ = described(path)
    places, _ = state(text["value"])
    names = [name for name in places if name not in ("learner", "n_rows", "fit_seconds")]
    for name in names:

        def change(value, name=name):
            place, pairs = state(value)
            pairs[place[name]][1] = wrong

        # later objects may refer to earlier ones by number, so the file may be refused unread
        rewritten(saved(tmp_path, "naive-bayes", nothing), change)
        done = wager("predict", path, rows, "--target", "class", "-o", tmp_path / "out.csv")
        assert done.exit_code == 2, (name, done.exception)
        assert done.stderr.startswith("wager: ")


# -- gigabytes from a kilobyte -------------------------------------------------------------------


def test_an_array_cannot_be_expanded_many_times(tmp_path):
    value = {"list": [{"array": "a0"}] * 100}
    path = archive(tmp_path / "m.npz", value, a0=np.zeros(1000))
    with pytest.raises(ValueError, match="'a0' is missing or occurs twice"):
        load_model(path, FittedLearner)


def test_a_text_cannot_expand_to_much_more_than_its_size(tmp_path):
    path = tmp_path / "m.npz"
    text = np.frombuffer(b"[" + b"[]," * 6_000_000 + b"[]]", dtype=np.uint8)
    np.savez_compressed(path, model=text)
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match="its text expands to 18 MB"):
        load_model(path, FittedLearner)


def test_values_within_values_do_not_grow_without_end(tmp_path):
    value = {"tuple": [1, 2]}
    levels = [value]
    for place in range(1, 60):  # each level has the one before it twice: 2^60 values
        levels.append({"tuple": [{"again": place}, {"again": place}]})
    path = archive(tmp_path / "m.npz", {"set": [{"tuple": levels}]})
    with pytest.raises(ValueError, match="more than 10,000,000 values"):
        load_model(path, FittedLearner)


def test_entries_that_overlap_are_counted_by_the_size_of_the_file(tmp_path):
    """Ten thousand names for the same packed bytes, as in a zip bomb without recursion."""
    path = tmp_path / "m.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("model.npy", bytes(1 << 20))
        (first,) = out.infolist()
        for number in range(200):
            other = zipfile.ZipInfo(f"a{number}.npy")
            for name in ("compress_type", "compress_size", "file_size", "CRC", "header_offset"):
                setattr(other, name, getattr(first, name))
            out.filelist.append(other)
    with pytest.raises(ValueError, match=r"it expands to 0\.2 GB"):
        load_model(path, FittedLearner)


def test_strings_of_no_length_are_not_counted_in_billions(tmp_path):
    header = io.BytesIO()
    described = {"descr": "<U0", "fortran_order": False, "shape": (1 << 40,)}
    np.lib.format.write_array_header_1_0(header, described)
    path = archive(tmp_path / "m.npz", {"array": "a0"})
    with zipfile.ZipFile(path, "a") as out:
        out.writestr("a0.npy", header.getvalue())
    with pytest.raises(ValueError, match="'a0' is not an array"):
        load_model(path, FittedLearner)


@pytest.mark.parametrize("shape", [(-1,), (1 << 62,), (1 << 40, 1 << 40), (2, -2)])
def test_shapes_that_no_array_has(shape, tmp_path):
    header = io.BytesIO()
    described = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, described)
    path = archive(tmp_path / "m.npz", {"array": "a0"})
    with zipfile.ZipFile(path, "a") as out:
        out.writestr("a0.npy", header.getvalue() + bytes(16))
    with pytest.raises(ValueError, match=IS_NOT):
        load_model(path, FittedLearner)


def test_two_arrays_of_one_name_are_refused(tmp_path):
    path = archive(tmp_path / "m.npz", {"array": "a0"}, a0=np.zeros(1))
    with zipfile.ZipFile(path, "a") as out, pytest.warns(UserWarning, match="Duplicate name"):
        out.writestr("a0.npy", b"")
    with pytest.raises(ValueError, match="the same name"):
        load_model(path, FittedLearner)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_a_learner_of_many_classes_is_refused_where_it_takes_too_much_memory(tmp_path, wager):
    def many(model):
        model.model.classes_ = np.zeros(30_000_000, dtype=np.uint8)

    path = saved(tmp_path, "vacuous", many, preparation=Preparation())
    assert path.stat().st_size < 100_000
    rows = rows_of(tmp_path, repeats=200)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    done = wager("predict", path, rows, "--target", "class", "-o", tmp_path / "out.csv")
    assert done.exit_code == 2
    assert "cannot predict" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
def test_memory_is_bounded_only_within_the_block():
    with at_most_more_memory(1 << 28), pytest.raises(MemoryError):
        np.ones(1 << 26)
    assert len(np.ones(1 << 26)) == 1 << 26


# -- what honest learners need stays possible ----------------------------------------------------


def test_arrays_that_compress_well_are_still_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_saved, "_LARGEST", 1 << 16)

    def add(model):
        model.model.table_ = np.zeros(1 << 16)  # half a megabyte that packs into a few bytes

    path = saved(tmp_path, "vacuous", add, preparation=Preparation())
    assert load_model(path, FittedLearner).model.table_.nbytes == 1 << 19
