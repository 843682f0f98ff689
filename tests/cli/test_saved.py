"""Trained learners are saved and read without running anything that a file names."""

import io
import json
import pickle
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from wager.cli._saved import load_model, save_model
from wager.experiments import FittedLearner, Preparation, fit_learner
from wager.predictions import read_predictions
from wager.prepare import load_dataset

LEARNERS = [
    "naive-bayes",
    "naive-credal",
    "tan",
    "aode",
    "c45",
    "credal-tree",
    "lazy-naive-credal",
    "credal-model-averaging",
    "nested-dichotomies",
    "vacuous",
    "random-class",
]


@pytest.fixture(scope="module")
def iris():
    return load_dataset("iris")


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_learner_predicts_the_same_bits(name, iris, tmp_path):
    model = fit_learner(iris, name, {}, Preparation(discretize="mdl", select="cfs"))
    save_model(tmp_path / "m.npz", model)
    before, after = model.predict(iris), load_model(tmp_path / "m.npz", FittedLearner).predict(iris)
    np.testing.assert_array_equal(np.asarray(before.sets), np.asarray(after.sets))
    if before.proba is not None:
        np.testing.assert_array_equal(before.proba, after.proba)


def test_wrappers_of_other_classifiers_are_saved(iris, tmp_path):
    params = {"estimator": "sklearn.naive_bayes.GaussianNB"}
    model = fit_learner(iris, "nondeterministic", params, Preparation())
    save_model(tmp_path / "m.npz", model)
    found = load_model(tmp_path / "m.npz", FittedLearner)
    np.testing.assert_array_equal(model.predict(iris).proba, found.predict(iris).proba)


def test_what_cannot_be_saved_safely_is_refused_by_name(iris, tmp_path):
    params = {"estimator": "sklearn.tree.DecisionTreeClassifier"}
    model = fit_learner(iris, "nondeterministic", params, Preparation())
    with pytest.raises(ValueError, match=r"objects of sklearn\.tree\..* cannot be saved"):
        save_model(tmp_path / "m.npz", model)
    assert list(tmp_path.iterdir()) == []


def archive(path, value, **arrays):
    """A file with this description, as a hostile person could write it."""
    from importlib.metadata import version

    versions = {"wager": version("wager"), "sklearn": version("scikit-learn")}
    text = json.dumps({"versions": versions, "value": value}).encode()
    np.savez(path, model=np.frombuffer(text, dtype=np.uint8), **arrays)
    return path


HOSTILE = {
    "a function of another package": {"function": ["os", "system"], "cells": []},
    "a class of another package": {"object": ["subprocess", "Popen"], "state": {"dict": []}},
    "a function of the command line": {"function": ["wager.cli", "main"], "cells": []},
    "a function of runs": {"function": ["wager.experiments.run._run", "run"], "cells": []},
    "an inner function": {"function": ["wager.learners._base", "x.<locals>.y"], "cells": []},
    "a module to import": {"class": ["antigravity", "x"]},
    "a name inside a module": {"class": ["wager.learners._base", "np.ndarray"]},
    "a transformer with a function": {
        "object": ["sklearn.preprocessing._function_transformer", "FunctionTransformer"],
        "state": {"dict": []},
    },
    "an object of another kind": {
        "object": ["wager.rewards._tally", "Tally"],
        "state": {"dict": []},
    },
    "nothing": None,
    "a loop": {"again": 0},
    "a missing array": {"array": "a7"},
    "too deep": json.loads("[" * 200 + "]" * 200),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_runs_nothing(name, tmp_path, monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("code of the file was run")

    monkeypatch.setattr("os.system", never)
    monkeypatch.setattr("subprocess.Popen", never)
    monkeypatch.setattr("wager.cli.main", never)
    path = archive(tmp_path / "m.npz", HOSTILE[name])
    with pytest.raises(ValueError, match="is not a saved learner"):
        load_model(path, FittedLearner)


class Bomb:
    def __reduce__(self):
        return (exec, ("raise AssertionError('unpickled')",))


def test_pickles_are_not_read(tmp_path):
    path = tmp_path / "m.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="is not a saved learner"):
        load_model(path, FittedLearner)
    archive(path, {"array": "a0"}, a0=np.array([Bomb()], dtype=object))
    with pytest.raises(ValueError, match="is not a saved learner"):
        load_model(path, FittedLearner)


@pytest.mark.long
def test_archives_that_expand_to_gigabytes_are_refused_unread(tmp_path):
    path = tmp_path / "m.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out,
        out.open("model.npy", "w") as file,
    ):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "|u1", "fortran_order": False, "shape": (1 << 31,)}
        )
        file.write(header.getvalue())
        for _ in range(1100):
            file.write(bytes(1 << 20))
    with pytest.raises(ValueError, match=r"expands to 1\.2 GB"):
        load_model(path, FittedLearner)


@pytest.mark.parametrize("discretize", ["mdl", "equal-frequency"])
def test_a_learner_of_rows_on_disk_and_its_cuts_are_saved(wager, tmp_path, discretize):
    rng = np.random.default_rng(0)
    train, model = tmp_path / "train.csv", tmp_path / "m.npz"
    rows = [f"{rng.normal(place, 1):.3f},{'ab'[place]}\n" for place in rng.integers(0, 2, 200)]
    train.write_text("x,y\n" + "".join(rows))
    words = ("--target", "y", "--quiet", "-o")
    args = ("--discretize", discretize, "--rows", "disk", "--save", model)
    done = wager("fit", "naive-bayes", train, train, *args, *words, tmp_path / "first.csv")
    assert done.exit_code == 0, done.output
    again = wager("predict", model, train, *words, tmp_path / "again.csv")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "first.csv").read_text()


def test_the_commands_save_and_predict(wager, tmp_path):
    rows = "x,y\n" + "1.5,a\n2.5,b\n" * 20
    for name in ("train", "test"):
        (tmp_path / f"{name}.csv").write_text(rows)
    args = [tmp_path / "train.csv", tmp_path / "test.csv", "--target", "y", "--discretize", "mdl"]
    model, first, second = (tmp_path / name for name in ("m.npz", "1.csv", "2.csv"))
    done = wager("fit", "naive-credal", *args, "-o", first, "--save", model)
    assert done.exit_code == 0, done.stderr
    done = wager("predict", model, tmp_path / "test.csv", "--target", "y", "-o", second)
    assert done.exit_code == 0, done.stderr
    assert read_predictions(first, form="set").sets == read_predictions(second, form="set").sets
    assert first.read_bytes() == second.read_bytes()
    refused = wager("predict", first, tmp_path / "test.csv", "--target", "y", "-o", second)
    assert refused.exit_code == 2
    assert "is not a saved learner" in refused.stderr
    assert wager("predict", tmp_path / "no.npz", first, "-o", second).stderr.endswith("such file\n")
    refused = wager("fit", "naive-credal", *args, "-o", first, "--save", tmp_path / "m.pkl")
    assert "name a file that ends in .npz" in refused.stderr


def test_damage_anywhere_in_the_archive_is_refused_or_harmless(iris, tmp_path):
    path = tmp_path / "m.npz"
    save_model(path, fit_learner(iris, "naive-bayes", {}, Preparation()))
    whole = path.read_bytes()
    refused = 0
    for at in range(40, len(whole), len(whole) // 60):  # compressed data, names, the list of parts
        damaged = bytearray(whole)
        damaged[at : at + 8] = bytes(255 - byte for byte in damaged[at : at + 8])
        path.write_bytes(damaged)
        with suppress(ValueError):
            load_model(path, FittedLearner)
            refused -= 1
        refused += 1
    assert refused > 40


def test_an_archive_with_a_password_is_refused(iris, tmp_path):
    path = tmp_path / "m.npz"
    save_model(path, fit_learner(iris, "naive-bayes", {}, Preparation()))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + offset] |= 1  # says that this part is encrypted
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"is not a saved learner .*encrypted"):
        load_model(path, FittedLearner)
