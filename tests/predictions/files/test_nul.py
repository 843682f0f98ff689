"""Labels that end with a NUL character, which NumPy would drop, are refused by every reader."""

import json

import pyarrow.parquet
import pytest

from wager.predictions import read_predictions
from wager.prepare import Dataset, count_file, load_dataset

ENDS_WITH_NUL = r"contains 'a\\x00', which ends with a NUL character"


@pytest.mark.parametrize(
    "rows",
    [
        [{"y_true": "a\0", "y_pred": "a"}, {"y_true": "b", "y_pred": "a"}],
        [{"y_true": "a", "set": ["a\0"]}, {"y_true": "b", "set": ["a", "b"]}],
        [{"y_true": "a", "p:a": 0.5, "p:a\0": 0.5}],
    ],
)
def test_two_labels_of_a_prediction_file_are_not_taken_for_one(tmp_path, rows):
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=ENDS_WITH_NUL):
        read_predictions(path)


def test_two_classes_of_a_data_set_are_not_taken_for_one(tmp_path):
    path = tmp_path / "d.parquet"
    columns = {"x": ["u", "v", "u"], "class": ["a", "a\0", "b"]}
    with pytest.raises(ValueError, match=ENDS_WITH_NUL):
        Dataset.from_columns("d", columns, "class")
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(ValueError, match=ENDS_WITH_NUL):
        load_dataset(path, target="class")
    with pytest.raises(ValueError, match=ENDS_WITH_NUL):
        count_file(path, target="class")
