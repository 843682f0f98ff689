"""Each form of predictions is one class; registering a new one is enough to read and count it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from wager.predictions import read_predictions, scan_all_predictions, scan_predictions
from wager.predictions.files import forms
from wager.predictions.files.forms._label import LabelForm


@dataclass(frozen=True)
class VoteForm(LabelForm):
    name = "vote"
    heading = "vote"
    usage = "vote"


@pytest.fixture
def voted(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("y_true,vote\na,a\nb,a\nb,b\n")
    return path


def test_a_registered_form_is_read_and_counted(voted, monkeypatch):
    with pytest.raises(ValueError, match="none of the columns y_true, vote contains predictions"):
        read_predictions(voted)
    monkeypatch.setitem(forms.FORMS, "vote", VoteForm)
    assert read_predictions(voted).sets.to_lists() == [["a"], ["a"], ["b"]]
    assert scan_predictions(voted, form="vote").count().by_size().tolist() == [
        [0, 0],
        [1, 2],
        [0, 0],
    ]


def test_the_error_for_a_file_without_predictions_lists_every_form(voted):
    with pytest.raises(ValueError) as caught:
        scan_predictions(voted)
    assert all(form.usage in str(caught.value) for form in forms.FORMS.values())


def test_every_form_provides_an_attribute_of_predictions(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(
        "y_true,y_pred,set,mask,in:a,in:b,p:a,p:b,class_1,p_1,lower:a,upper:a,lower:b,upper:b,"
        "m:a,m:b\n"
        "a,a,a|b,3,1,1,0.5,0.5,a,0.7,0,1,0,1,2,3\n"
    )
    files = scan_all_predictions(path, ["a", "b"])
    assert [file.form for file in files] == list(forms.FORMS)
    for file in files:
        rows = file.read()
        kinds = {"sets", "proba", "intervals", "memberships"}
        assert {kind for kind in kinds if getattr(rows, kind) is not None} == {file.kind}
        assert rows.form == file.form
