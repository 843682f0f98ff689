"""Logs that grow: only new, complete rows are read, and a rewritten log is noticed."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.predictions import LogPlace, read_appended, read_predictions

ROWS = ["cat,cat|dog", "dog,dog", "cow,cat", 'dog,"dog|cow"', "cat,", "cow,cow|cat|dog"]
HEADER = "y_true,set\n"


def gather(path, place=None, **options):
    """The true classes and sets of all new rows, and the place after them."""
    truth, sets = [], []
    place, left_out = place or LogPlace(), 0
    for part in read_appended(path, place, **options):
        place, left_out = part.place, left_out + part.left_out
        if part.rows is not None:
            truth += part.rows.y_true.tolist()
            sets += part.rows.sets.to_lists()
    return truth, [sorted(members) for members in sets], place, left_out


@given(st.data())
@fewer(8)
def test_any_pieces_of_bytes_give_the_rows_of_the_whole(tmp_path_factory, data):
    text = (
        HEADER + "\n".join(data.draw(st.lists(st.sampled_from(ROWS), min_size=1))) + "\n"
    ).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
    log = tmp_path_factory.mktemp("logs") / "log.csv"
    log.write_bytes(text)
    whole = gather(log)
    truth, sets, place = [], [], None
    for end in [*cuts, len(text)]:
        log.write_bytes(text[:end])
        new_truth, new_sets, place, _ = gather(log, place)
        truth, sets = truth + new_truth, sets + new_sets
    assert (truth, sets, place) == whole[:3]
    assert place.bytes == len(text)
    assert place.rows == len(truth)


def test_small_pieces_are_read_as_large_ones(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(HEADER + "\n".join(ROWS * 5) + "\n")
    assert gather(log, piece=17) == gather(log)


def test_json_lines_are_read_too(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"y_true": "a", "set": ["a", "b"]}\n')
    truth, sets, place, _ = gather(log)
    with log.open("a") as file:
        file.write('{"y_true": "b", "set": ["b"]}\n{"y_true": "a", "se')
    again = gather(log, place)
    assert (truth, sets) == (["a"], [["a", "b"]])
    assert again[:2] == (["b"], [["b"]])


def test_a_line_that_is_still_written_waits(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("y_true,set")
    assert gather(log)[2].bytes == 0
    log.write_text(HEADER + "cat,cat\ndog,do")
    truth, _, place, _ = gather(log)
    assert truth == ["cat"]
    log.write_text(HEADER + "cat,cat\ndog,dog\n")
    assert gather(log, place)[:2] == (["dog"], [["dog"]])


def test_a_line_end_in_quotes_does_not_end_a_row(tmp_path):
    log = tmp_path / "log.csv"
    log.write_bytes(b'y_true,set,note\ncat,cat,"one\ntw')
    truth, _, place, _ = gather(log)
    assert truth == []
    log.write_bytes(b'y_true,set,note\ncat,cat,"one\ntwo"\n')
    assert gather(log, place)[0] == ["cat"]


QUOTED = {
    "in the middle": ['5" pipe,a,a', 'x,"b",b', 'a"b"c,a,a|b', 'y,b,"a|b"'],
    "doubled": ['"5"" pipe",a,a', '"""",a,b', '"",b,b', '"x""\n""y",b,b'],
    "with line breaks": ['"one\ntwo",a,a', "x,b,b", '"\n\n",b,a', '"a,\n"" b\n",a,b'],
    "after a space": [' "x\ny",a,a', '  "x,b,b', '"x"  "y\nz",a,b', 'x, "b",b'],
    "after another delimiter": ['5;" x,a,a', '5\t" x,b,b', "y,a,b"],
}


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
@pytest.mark.parametrize("case", QUOTED)
def test_quotes_are_read_as_in_a_whole_file(case, piece, tmp_path):
    log = tmp_path / "log.csv"
    text = "id,y_true,set\n" + "\n".join(QUOTED[case] * 3) + "\n"
    log.write_bytes(text.encode())
    whole = read_predictions(log)
    log.write_bytes(f"{text}unfinished,a,".encode())
    truth, sets, place, _ = gather(log, piece=piece)
    assert truth == whole.y_true.tolist()
    assert sets == [sorted(members) for members in whole.sets.to_lists()]
    assert (place.bytes, place.rows) == (len(text), len(whole))
    log.write_bytes(f'{text}"unfinished,a,a\nx,b,b\n'.encode())  # may still become one field
    assert gather(log, piece=piece)[2] == place


def test_a_quote_in_the_middle_of_a_field_hides_no_rows(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text('id,y_true,set\n5" pipe,a,a\n' + "i,a,b\n" * 500)
    assert len(gather(log)[0]) == 501


def test_a_missing_quote_is_named(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text('id,y_true,set\nx,a,a\n"5 pipe,a,a\n' + "i,a,b\n" * 2000)
    with pytest.raises(ValueError, match=r"log.csv: a quoted field of row 2 is still open 2,001 l"):
        gather(log)
    log.write_text('"id,y_true,set\n' + "i,a,b\n" * 2000)
    with pytest.raises(ValueError, match=r"a quoted field of the header is still open 2,001 lines"):
        gather(log)


def test_a_row_that_never_ends_is_named(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(HEADER + "cat,cat\n" + "x" * (1 << 24) + "y")
    with pytest.raises(ValueError, match=r"log.csv: row 2 is longer than 16 MB"):
        gather(log)


def test_a_declared_delimiter_is_no_row(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("sep=;\n")
    place = gather(log)[2]
    assert place.bytes == 0
    log.write_text('sep=;\nid;y_true;"set\n"\n1;cat;cat\n')
    truth, _, place, _ = gather(log, place)
    assert truth == ["cat"]
    with log.open("a") as file:
        file.write("2;dog;cat|dog\n")
    assert gather(log, place)[:2] == (["dog"], [["cat", "dog"]])


def test_rows_without_a_label_are_left_out_if_wanted(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(HEADER + "cat,cat\n,dog\n")
    truth, _, place, left_out = gather(log, na="drop")
    assert (truth, left_out, place.rows) == (["cat"], 1, 2)
    with log.open("a") as file:
        file.write(",dog\nNA,cat\n")
    truth, _, place, left_out = gather(log, place, na="drop")
    assert (truth, left_out, place.rows) == ([], 2, 4)


def test_a_rewritten_or_shortened_log_is_named(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(HEADER + "cat,cat\ndog,dog\n")
    place = gather(log)[2]
    log.write_text(HEADER + "cat,dog\ndog,dog\ncat,cat\n")
    with pytest.raises(ValueError, match=r"log.csv was rewritten: its first 27 bytes are not"):
        gather(log, place)
    log.write_text(HEADER + "cat,cat\n")
    with pytest.raises(ValueError, match=r"has only 19 bytes, but 27 were read before"):
        gather(log, place)


def test_errors_name_the_log_and_the_row_in_it(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(HEADER + "cat,cat\n" * 6)
    place = gather(log)[2]
    with log.open("a") as file:
        file.write("dog,dog\n,dog\n")
    with pytest.raises(ValueError, match=r"log\.csv") as caught:
        gather(log, place)
    assert "row 8" in str(caught.value)
    assert "wager-" not in str(caught.value)


@pytest.mark.parametrize("name", ["log.csv.gz", "log.parquet"])
def test_other_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ValueError, match="must be plain CSV or JSON Lines"):
        gather(tmp_path / name)


def test_weights_are_refused(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("y_true,set,weight\ncat,cat,2\n")
    with pytest.raises(ValueError, match="a log has one row per prediction, but there is a column"):
        gather(log)


def test_probabilities_are_read(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("y_true,p:a,p:b\na,0.7,0.3\nb,0.6,0.4\n")
    (part,) = read_appended(log)
    np.testing.assert_allclose(part.rows.proba, [[0.7, 0.3], [0.6, 0.4]])
