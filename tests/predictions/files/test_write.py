"""Predictions that cannot be written are refused in one sentence; an existing file stays."""

import numpy as np
import pandas as pd
import pytest

from wager._atomic import replacing
from wager.predictions import (
    ProbabilityIntervals,
    TopKProbabilities,
    as_sets,
    read_predictions,
    write_predictions,
)

WRONG = {
    "no predictions": ({}, "pass the predictions as one or more of y_pred, sets"),
    "another length": ({"y_pred": ["a"]}, "y_true has 2 rows but y_pred has 1"),
    "weights of another length": (
        {"y_pred": ["a", "b"], "weight": [1]},
        "one weight for each of the 2 rows",
    ),
    "a negative weight": ({"y_pred": ["a", "b"], "weight": [1, -1]}, "got -1 in row 1"),
    "groups of another length": (
        {"y_pred": ["a", "b"], "group": ["x"]},
        "y_true has 2 rows but group has 1",
    ),
    "an unknown form": ({"sets": [["a"], ["b"]], "form": "bits"}, "form must be one of"),
    "a list in a CSV": (
        {"sets": [["a"], ["b"]], "form": "list"},
        "a CSV file cannot contain lists",
    ),
    "65 classes in a mask": (
        {"sets": np.ones((2, 65)), "classes": np.arange(65), "form": "mask"},
        "a mask has bits for 64 classes, but there are 65",
    ),
    "another number of classes": (
        {"proba": np.eye(2), "classes": ["a", "b", "c"]},
        "there are 2 columns but 3 classes",
    ),
    "one column": ({"memberships": [0.5, 0.5]}, "predictions must have one column per class"),
    "infinite": ({"memberships": [[1, np.inf], [0, 1]]}, "m:b is inf in row 0"),
    "mixed labels": ({"y_pred": [1, "a"]}, "y_pred mixes strings and other labels"),
    "fractions": ({"y_pred": [0.5, 1]}, "y_pred contains fractions"),
    "no text": (
        {"y_pred": ["a\0b", "a"]},
        "y_pred contains 'a.x00b', which cannot be saved as text",
    ),
    "half a character in a group": (
        {"y_pred": ["a", "b"], "group": ["x", "\ud800"]},
        r"group contains '.ud800', which cannot be saved as text: rename it",
    ),
    "no text in an id": ({"y_pred": ["a", "b"], "id": ["x", "y\0z"]}, "id contains 'y.x00z'"),
    "a NUL after an id": ({"y_pred": ["a", "b"], "id": ["x", "y\0"]}, "id contains 'y.x00', which"),
    "half a character": ({"y_pred": ["\ud800", "a"]}, "which cannot be saved as text"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_predictions_are_refused_and_the_old_file_stays(case, tmp_path):
    arguments, words = WRONG[case]
    path = tmp_path / "predictions.csv"
    path.write_text("what was here before")
    with pytest.raises(ValueError, match=words):
        write_predictions(path, ["a", "b"], **arguments)
    assert path.read_text() == "what was here before"
    assert list(tmp_path.iterdir()) == [path]


BAD_CLASSES = {
    "the same without blanks": (["a", "b", "b "], "classes contains 'b' and 'b ', which are the"),
    "the same before a blank": (["a", "b", " a"], "classes contains 'a' and ' a', which are the"),
    "no text": (["a", "b", "\0b"], "classes contains '.x00b', which cannot be saved as text"),
    "half a character": (["a", "b", "\ud800"], "which cannot be saved as text: rename it"),
    "empty": (["a", "b", " "], "classes contains an empty label"),
}
KINDS = {
    "p": {"proba": [[0.5, 0.3, 0.2]] * 2},
    "m": {"memberships": [[0.5, 0.3, 0.9]] * 2},
    "interval": {},
    **{form: {"sets": np.eye(3, dtype=bool)[:2], "form": form} for form in ("set", "in", "mask")},
    "top-k": {},
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", BAD_CLASSES)
def test_classes_that_cannot_be_read_back_are_refused(case, kind, ending, tmp_path):
    classes, words = BAD_CLASSES[case]
    arguments = {**KINDS[kind], "classes": classes}
    if kind == "interval":
        said = ProbabilityIntervals([[0.1, 0.2, 0]] * 2, [[0.8, 0.9, 1]] * 2, classes=classes)
        arguments = {"intervals": said}
    if kind == "top-k":
        arguments["proba"] = TopKProbabilities([["a"], ["b"]], [[0.5], [0.6]], classes)
    path = tmp_path / f"predictions.{ending}"
    path.write_text("what was here before")
    with pytest.raises(ValueError, match=words):
        write_predictions(path, ["a", "b"], **arguments)
    assert path.read_text() == "what was here before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_needs_a_folder_and_a_format(tmp_path):
    with pytest.raises(ValueError, match=r"make the folder .*missing first"):
        write_predictions(tmp_path / "missing" / "p.csv", ["a"], y_pred=["a"])
    (tmp_path / "p.csv").mkdir()
    with pytest.raises(ValueError, match="it is a folder"):
        write_predictions(tmp_path / "p.csv", ["a"], y_pred=["a"])
    with pytest.raises(ValueError, match="the name does not show the file format"):
        write_predictions(tmp_path / "p.xlsx", ["a"], y_pred=["a"])
    with pytest.raises(ValueError, match=r"remove .gz from the name"):
        write_predictions(tmp_path / "p.parquet.gz", ["a"], y_pred=["a"])


def test_a_draft_that_fails_is_removed(tmp_path):
    target = tmp_path / "note.txt"
    target.write_text("old")

    def write_half():
        with replacing(target) as draft:
            draft.write_text("half of the n")
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="the disk is full"):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_same_permissions_as_others(tmp_path):
    (tmp_path / "other").touch()
    write_predictions(tmp_path / "p.csv", ["a"], y_pred=["a"])
    modes = {(tmp_path / name).stat().st_mode for name in ("other", "p.csv")}
    assert len(modes) == 1


def test_classes_need_no_declaration_where_predictions_name_them(tmp_path):
    write_predictions(tmp_path / "p.csv", ["b", "a"], proba=[[0.25, 0.75], [1, 0]])
    assert (tmp_path / "p.csv").read_text() == (
        '"y_true","p:a","p:b"\n"b",0.25,0.75\n"a",1.0,0.0\n'
    )
    said = ProbabilityIntervals([[0.1, 0.2]], [[0.8, 0.9]], classes=["x", "y"])
    write_predictions(tmp_path / "i.csv", ["x"], intervals=said)
    assert read_predictions(tmp_path / "i.csv").intervals.upper.tolist() == [[0.8, 0.9]]


@pytest.mark.parametrize("form", ["set", "in"])
@pytest.mark.parametrize("classes", [None, ["dog", "cat"]])
def test_sets_without_names_are_written_with_the_classes_that_score_them(tmp_path, form, classes):
    truth, sets = ["cat", "dog", "dog"], np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    write_predictions(tmp_path / "p.csv", truth, sets=sets, form=form, classes=classes)
    found = read_predictions(tmp_path / "p.csv")
    scored = as_sets(sets, classes or ["cat", "dog"]).to_lists()
    assert list(map(set, found.sets.to_lists())) == list(map(set, scored))
    with pytest.raises(ValueError, match=r"y_true runs from 1 to 2 but the predictions have 2"):
        write_predictions(tmp_path / "q.csv", [1, 2, 2], sets=sets, form=form)


def test_intervals_without_names_are_written_with_the_classes_that_are_given(tmp_path):
    said = ProbabilityIntervals([[0.1, 0.2], [0.3, 0.3]], [[0.8, 0.9], [0.7, 0.7]])
    for classes, known in ((None, ["cat", "dog"]), (["dog", "cat"], ["dog", "cat"])):
        write_predictions(tmp_path / "p.csv", ["cat", "dog"], intervals=said, classes=classes)
        found = read_predictions(tmp_path / "p.csv", classes=known)
        assert found.intervals.lower.tolist() == [[0.1, 0.2], [0.3, 0.3]]
    with pytest.raises(ValueError, match="intervals have 2 columns but there are 3 classes"):
        write_predictions(tmp_path / "p.csv", ["a", "b"], intervals=said, classes=["a", "b", "c"])


def test_several_kinds_are_written_side_by_side_and_read_one_at_a_time(tmp_path):
    path = tmp_path / "all.parquet"
    write_predictions(
        path, ["a", "b"], y_pred=["a", "a"], sets=[["a"], ["a", "b"]], proba=[[1, 0], [0.5, 0.5]]
    )
    assert read_predictions(path, form="label").sets.to_lists() == [["a"], ["a"]]
    assert read_predictions(path, form="set").sets.to_lists() == [["a"], ["a", "b"]]
    assert read_predictions(path, form="p").proba.tolist() == [[1, 0], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"stated in 3 forms \(y_pred, set, p:\): choose one"):
        read_predictions(path)
    with pytest.raises(ValueError, match="unknown form of predictions 'bits': choose from label"):
        read_predictions(path, form="bits")


@pytest.mark.parametrize("kind", ["proba", "memberships"])
@pytest.mark.parametrize("classes", [None, ["a", "b", "c"]])
def test_columns_of_a_frame_are_written_under_their_names(tmp_path, kind, classes):
    numbers = pd.DataFrame({"b": [0.5, 0.125], "a": [0.25, 0.25], "c": [0.25, 0.625]})
    write_predictions(tmp_path / "p.csv", ["b", "c"], **{kind: numbers}, classes=classes)
    found = read_predictions(tmp_path / "p.csv")
    values = getattr(found, kind)
    place = [found.classes.tolist().index(name) for name in numbers]
    assert values[:, place].tolist() == numbers.to_numpy().tolist()
