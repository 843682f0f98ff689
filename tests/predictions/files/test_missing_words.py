"""The words that mean a missing value in prediction files, as pandas and others write them."""

import pytest

from wager.predictions import read_predictions, scan_predictions

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


@pytest.mark.parametrize("text", [" ", "NA ", " nan", "\t", "\u00a0NULL"])
def test_blanks_around_a_missing_cluster_group_or_id_do_not_make_it_a_name(tmp_path, text):
    file = tmp_path / "p.csv"
    file.write_text(f"y_true,y_pred,cluster,group,id\na,a,{text},{text},{text}\nb,a,v,v,v\n")
    with pytest.raises(ValueError, match="1 of 2 rows has no cluster"):
        read_predictions(file)
    with pytest.raises(ValueError, match="1 of 2 rows has no cluster"):
        scan_predictions(file).count()
    file.write_text(file.read_text().replace(",cluster,", ",note,"))
    found = read_predictions(file)
    assert found.group.tolist() == [None, "v"]
    with pytest.raises(ValueError, match="1 of 2 rows has no id"):
        scan_predictions(file).with_ids().read()


@pytest.mark.parametrize("column", ["cluster", "group"])
def test_a_cluster_or_group_that_is_not_a_number_is_missing(tmp_path, column):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = tmp_path / "p.parquet"
    cells = {"y_true": ["a", "b"], "y_pred": ["a", "a"], column: [1.5, float("nan")]}
    parquet.write_table(pyarrow.table(cells), file)
    if column == "group":
        assert read_predictions(file).group.tolist() == ["1.5", None]
        return
    with pytest.raises(ValueError, match="1 of 2 rows has no cluster"):
        read_predictions(file)
    with pytest.raises(ValueError, match="1 of 2 rows has no cluster"):
        scan_predictions(file).count()
