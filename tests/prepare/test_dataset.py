"""Data sets: what their checksum covers."""

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
