"""Files of answers about the costs of sets."""

import pytest

from wager.costs import CostMatrix, CostRatio, SetCost, complete, read_answers


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


GOOD = 'set = "a|b"\ntrue = "a"\ncost = 0.5\n'


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (GOOD.replace("0.5", "'x'"), "answer 1: cost must be a number, got 'x'"),
        (GOOD.replace("0.5", "true"), "answer 1: cost must be a number, got True"),
        (GOOD.replace("0.5", "-1"), "answer 1: cost must be finite and not negative, got -1"),
        (GOOD.replace('"a|b"', "{ a = 1 }"), "answer 1: set must be labels such as 'a|b'"),
        (GOOD.replace('"a|b"', "[['a'], 'b']"), "answer 1: set must be labels such as 'a|b'"),
        (GOOD.replace('true = "a"', 'true = ["a"]'), "answer 1: true must be a class, got ['a']"),
        (GOOD + "relation = 3\n", "answer 1: relation must be '=', '<=' or '>=', got 3"),
        ('set = "a"\nproba = "x"\ncost = 1\n', "answer 1: proba must be a table or list of"),
        ('set = "a"\nproba = { a = "x" }\ncost = 1\n', "answer 1: proba must be a table or list"),
        ('set = "a"\ntrue = "a"\nthan = "b"\ntimes = []\n', "answer 1: times must be a number"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_its_key(tmp_path, entry, sentence):
    path = tmp_path / "answers.toml"
    path.write_text(f"[[answer]]\n{entry}")
    with pytest.raises(ValueError) as caught:
        read_answers(path, CostMatrix.zero_one(["a", "b"]).classes)
    assert str(caught.value).startswith(f"{path}: {sentence}")


def test_an_answer_must_be_a_table(tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text("answer = [1, 2]")
    with pytest.raises(
        ValueError, match="answer 1: must be a table with set, true and cost, got 1"
    ):
        read_answers(path, CostMatrix.zero_one(["a", "b"]).classes)


@pytest.mark.parametrize("cost", ["x", None, True, [1]])
def test_an_answer_in_python_needs_a_number(cost):
    with pytest.raises(ValueError, match="cost must be a number, got"):
        SetCost(("a", "b"), "a", cost)


def test_probabilities_are_a_list_or_a_table(tmp_path):
    path = tmp_path / "answers.toml"
    for proba in ("[0.25, 0.75]", "{ a = 0.25, b = 0.75 }"):
        path.write_text(f'[[answer]]\nset = "a|b"\nproba = {proba}\ncost = 0.3\n')
        (answer,) = read_answers(path, CostMatrix.zero_one(["a", "b"]).classes)
        completed = complete(CostMatrix.zero_one(["a", "b"]), [answer])
        assert completed.expected([["a", "b"]], [0.25, 0.75]) == pytest.approx(0.3)


def test_answers_are_sentences():
    assert str(SetCost("hb", "n", 1)) == "{hb} costs 1 when n is true"
    assert str(SetCost(7, 2, 1)) == "{7} costs 1 when 2 is true"
    ratio = CostRatio(("h", "n"), "n", "h", 3, than_set=("h",))
    assert str(ratio) == "{h, n} costs 3 times as much when n is true as {h} when h is true"
