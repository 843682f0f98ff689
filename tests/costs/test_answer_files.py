"""Files of answers about the costs of sets."""

import pytest

from wager.costs import CostMatrix, CostRatio, SetCost, read_answers


def test_answers_about_numbered_classes_and_bounds_are_read(tmp_path):
    text = """
    [[answer]]
    set = "1|2"
    true = 2
    cost = 0.5
    relation = "<="
    [[answer]]
    set = [1, 2]
    true = 1
    than = 2
    times = 2
    than_set = "1"
    """
    costs = CostMatrix([[0, 1], [1, 0]], [1, 2])
    path = tmp_path / "answers.toml"
    path.write_text(text)
    bound, ratio = read_answers(path, costs.classes)
    assert bound == SetCost((1, 2), 2, 0.5, relation="<=")
    assert ratio == CostRatio((1, 2), 1, 2, 2, than_set=(1,))
    with pytest.raises(ValueError, match="no such file"):
        read_answers(tmp_path / "none.toml", costs.classes)
