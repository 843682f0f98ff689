"""Weights whose squares lose digits are refused, whichever way a file is read."""

import pytest

from wager.compare import compare_files, compare_probability_files
from wager.predictions import read_predictions, scan_predictions

SETS = [("a", "a|b"), ("b", "a"), ("a", "a"), ("b", "b")] * 3
WORDS = r"p\.csv: the column weight has no weight of at least 1e-150, so that squares lose digits"

READERS = {
    "count": lambda file: file.count(),
    "groups": lambda file: file.count_groups(["a", "b"]),
    "read": lambda file: file.read(),
    "chunks": lambda file: list(file.chunks()),
    "clusters": lambda file: list(file.chunks(whole_clusters=True)),
    "rows": lambda file: file.check_rows(),
}


def written(folder, weights, name="p.csv", columns="set"):
    cells = {"set": lambda y, s: s, "p:a,p:b": lambda y, s: "0.25,0.75" if y == "b" else "0.9,0.1"}
    path = folder / name
    path.write_text(
        f"y_true,group,weight,{columns}\n"
        + "".join(
            f"{y},g{i % 2},{w},{cells[columns](y, s)}\n"
            for i, ((y, s), w) in enumerate(zip(SETS, weights, strict=True))
        )
    )
    return path


@pytest.mark.parametrize("columns", ["set", "p:a,p:b"])
@pytest.mark.parametrize("reader", READERS)
def test_small_weights_are_refused_by_every_reader(reader, columns, tmp_path):
    if columns != "set" and reader in ("count", "groups"):
        pytest.skip("probabilities are not counted")
    file = scan_predictions(written(tmp_path, ["1e-200", "0"] * 6, columns=columns))
    with pytest.raises(ValueError, match=WORDS):
        READERS[reader](file)
    large = scan_predictions(written(tmp_path, ["1e-200", "2"] * 6, columns=columns))
    READERS[reader](large)


@pytest.mark.parametrize(
    ("compare", "columns"), [(compare_files, "set"), (compare_probability_files, "p:a,p:b")]
)
def test_small_weights_are_refused_in_comparisons(compare, columns, tmp_path):
    small = written(tmp_path, ["1e-200"] * 12, columns=columns)
    other = tmp_path / "q.csv"
    lines = [line.split(",") for line in small.read_text().splitlines()]
    other.write_text("".join(",".join(line[:1] + line[3:]) + "\n" for line in lines))
    for files in ([small, other], [other, small]):
        with pytest.raises(ValueError, match=WORDS):
            compare(files)


def test_one_large_weight_among_later_rows_is_enough(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y_true,y_pred,weight\n" + "a,a,1e-200\n" * 5000 + "b,a,1\n")
    assert scan_predictions(path).count().total_weight == 1
    assert len(read_predictions(path)) == 5001
