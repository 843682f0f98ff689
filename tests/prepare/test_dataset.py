"""Data sets: what their checksum covers."""

import hashlib
import json
import struct

import numpy as np
import pytest

from wager.prepare import Dataset


def test_the_checksum_is_of_the_content_and_not_of_the_name():
    columns = {"x": [1.5, np.nan, -0.0], "k": ["u", "v", None], "c": ["p", "q", "p"]}
    data = Dataset.from_columns("a", columns, target="c")
    same = Dataset.from_columns("b", columns | {"x": [1.5, -np.nan, 0.0]}, target="c")
    assert data.checksum == same.checksum
    changed = [
        columns | {"x": [1.5, 2.0, 0.0]},
        columns | {"k": ["u", "v", "v"]},
        columns | {"c": ["p", "q", "q"]},
        {"y": columns["x"], "k": columns["k"], "c": columns["c"]},
    ]
    found = {Dataset.from_columns("a", other, target="c").checksum for other in changed}
    assert len(found | {data.checksum}) == 5
    assert data.rows([1, 0, 2]).checksum != data.checksum


def test_two_columns_of_one_name_are_refused():
    """The second one replaced the first."""
    columns = {1: [1.0, 2.0], "1": [2.0, 1.0], "c": ["p", "q"]}
    with pytest.raises(ValueError, match=r"^the column '1' occurs more than once: keep one$"):
        Dataset.from_columns("a", columns, target="c")


def test_the_checksum_is_that_of_the_description():
    """Plans and stores of earlier versions name data sets by it."""
    columns = {"x": [1.5, np.nan, 0.0], "k": ["u", "v", None], "c": ["p", "q", "p"]}
    data = Dataset.from_columns("a", columns, target="c")
    header = [["x", "k"], [None, ["u", "v"]], ["p", "q"], "c", 3]
    found = hashlib.sha256(json.dumps(header).encode())
    found.update(struct.pack("<3d", 1.5, np.nan, 0.0))
    found.update(struct.pack("<3q", 0, 1, -1))
    found.update(struct.pack("<3q", 0, 1, 0))
    assert data.checksum == found.hexdigest()[:32]


@pytest.mark.parametrize("codes", [np.array([0, 2]), np.array([0.0, 1.0])])
def test_classes_that_are_no_codes_are_refused(codes):
    with pytest.raises(ValueError, match="target_codes must be codes below 2, negative where"):
        Dataset("a", ("x",), (np.zeros(2),), (None,), codes, np.array(["p", "q"]))


def test_labels_that_numpy_would_cut_are_refused():
    with pytest.raises(ValueError, match=r"k.*NUL"):
        Dataset.from_columns("a", {"k": ["u", "u\0"], "c": ["p", "q"]}, target="c")
