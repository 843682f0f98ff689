"""The words that mean a missing value in prediction files, as pandas and others write them."""

import pytest

from wager.predictions import read_predictions

WORDS = ("NA", "NaN", "nan", "<NA>", "NaT", "null", "NULL", "None")


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("column", ["y_true", "y_pred"])
def test_a_missing_word_is_not_a_class(tmp_path, word, column):
    cells = {"y_true": "b", "y_pred": "b", column: word}
    file = tmp_path / "p.csv"
    file.write_text(f"y_true,y_pred\na,a\n{cells['y_true']},{cells['y_pred']}\nb,b\n")
    with pytest.raises(ValueError, match=f"1 of 3 rows has no {column}.*if '{word}' is a class"):
        read_predictions(file)
    found = read_predictions(file, na="drop")
    assert found.y_true.tolist() == ["a", "b"]
    assert found.sets.classes.tolist() == ["a", "b"]


@pytest.mark.parametrize("word", WORDS)
def test_a_declared_class_may_have_that_name(tmp_path, word):
    file = tmp_path / "p.csv"
    file.write_text(f"y_true,y_pred\na,{word}\n{word},{word}\n")
    found = read_predictions(file, classes=["a", word])
    assert found.y_true.tolist() == ["a", word]
    assert found.sets.to_lists() == [[word], [word]]


@pytest.mark.parametrize("word", WORDS)
def test_a_set_with_a_missing_word_is_refused(tmp_path, word):
    file = tmp_path / "p.csv"
    file.write_text(f"y_true,set\na,a|{word}\nb,b\n")
    with pytest.raises(ValueError, match="a set with a missing label"):
        read_predictions(file)
