"""What is wrong with a cost file is said with the names of its classes."""

import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.costs import CostMatrix, read_costs

HEAD = 'classes = ["a", "b", "c"]\n'
GOOD = HEAD + "costs = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]\n"

FILES = {
    "negative": (
        "c.toml",
        HEAD + "costs = [[0, 1, 1], [1, -3, 1], [1, 1, 0]]",
        "the cost of predicting b when b is true is -3: costs must be 0 or more",
    ),
    "negative in CSV": (
        "c.csv",
        "predicted,a,b\nb,1,-3\na,0,1\n",
        "the cost of predicting b when b is true is -3: costs must be 0 or more",
    ),
    "infinite": (
        "c.toml",
        HEAD + "costs = [[0, 1, inf], [1, 0, 1], [1, 1, 0]]",
        "the cost of predicting a when c is true is inf: costs must be finite numbers",
    ),
    "a short row": (
        "c.toml",
        HEAD + "costs = [[0, 1, 1], [1, 0], [1, 1, 0]]",
        "row 2 of costs (predicted b) has 2 numbers, but there are 3 classes: give one per true "
        "class",
    ),
    "too few rows": (
        "c.toml",
        HEAD + "costs = [[0, 1, 1], [1, 0, 1]]",
        "costs has 2 rows but there are 3 classes: give one row and one column per class",
    ),
    "a smaller matrix": (
        "c.toml",
        HEAD + "costs = [[0, 1], [1, 0]]",
        "costs has 2 rows but there are 3 classes: give one row and one column per class",
    ),
    "text": (
        "c.toml",
        HEAD + 'costs = [[0, 1, 1], [1, 0, "x"], [1, 1, 0]]',
        "the cost of predicting b when c is true is 'x': write a number",
    ),
    "no header": (
        "c.csv",
        "a,0,1,1\nb,1,0,1\nc,1,1,0\n",
        "line 1 has numbers (a, 0, 1, 1) where the names of the true classes are expected: begin "
        "with a line such as predicted,a,b,c, and each other line with the predicted class",
    ),
    "only numbers": (
        "c.csv",
        "0,1,1\n1,0,1\n1,1,0\n",
        "line 1 has numbers (0, 1, 1) where the names of the true classes are expected: begin "
        "with a line such as predicted,a,b,c, and each other line with the predicted class",
    ),
    "an unknown class in a set": (
        "c.toml",
        GOOD + 'sets = { "a|d" = [1, 1, 1] }',
        "the set 'a|d' contains 'd', which is not among the classes 'a', 'b', 'c': correct it, or "
        "add the class and its costs",
    ),
    "an unknown class in a set of CSV": (
        "c.csv",
        "predicted,a,b\na,0,1\nb,1,0\na|d,1,1\n",
        "the set 'a|d' contains 'd', which is not among the classes 'a', 'b': correct it, or add "
        "the class and its costs",
    ),
    "a set with too few numbers": (
        "c.toml",
        GOOD + 'sets = { "a|b" = [1, 1] }',
        "the set 'a|b' has 2 numbers, but there are 3 classes: give one per true class, or name "
        "those that you give, as in { a = 0.5 }",
    ),
    "a negative cost of a set": (
        "c.toml",
        GOOD + 'sets = { "a|b" = { c = -1 } }',
        "the cost of the set a|b when c is true is -1: costs must be 0 or more",
    ),
    "text for the cost of a set": (
        "c.toml",
        GOOD + 'sets = { "a|b" = [1, 1, "x"] }',
        "the cost of the set a|b when c is true is 'x': write a number",
    ),
}


@pytest.mark.parametrize(("name", "text", "sentence"), FILES.values(), ids=list(FILES))
def test_the_sentence_names_the_file_and_the_classes(tmp_path, name, text, sentence):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ValueError) as error:
        read_costs(file)
    assert str(error.value) == f"{file}: {sentence}"


def test_a_header_may_have_classes_that_are_numbers(tmp_path):
    file = tmp_path / "c.csv"
    file.write_text("predicted,0,1\n0,0,5\n1,2,0\n")
    found = read_costs(file)
    assert found.classes.tolist() == [0, 1]
    assert found.costs.tolist() == [[0, 5], [2, 0]]


@pytest.mark.parametrize("more", ["", '\nsets = { "x|b" = [1, 1, 1] }'])
def test_classes_without_costs_are_named_with_the_file(tmp_path, more):
    costs, predictions = tmp_path / "c.toml", tmp_path / "p.csv"
    costs.write_text(GOOD.replace('"a"', '"x"') + more)
    predictions.write_text("y_true,y_pred\na,a\nb,b\nc,b\n")
    for unit in ((), ("--unit", "EUR")):
        arguments = ["score", str(predictions), "--costs", str(costs), *unit]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 2
        assert result.stderr.strip() == (
            f"wager: {costs} has no costs for 'a', a class of {predictions} (it has 'x', 'b', "
            "'c'): correct the spelling, or add a row and a column"
        )


def test_the_name_of_a_rule_says_what_its_user_gave():
    costs = CostMatrix.zero_one(["a", "b", "c"])
    assert costs.extend(r=0.8).rule.name == "p-discounted, r = 0.8"
    averse = costs.extend(r=0.3, mode="mistake-averse")
    assert averse.rule.name == "p-discounted, r = 0.3, mistake-averse"
    assert costs.extend(p=-1).rule.name == "p-discounted, p = -1"
    assert costs.extend({("a", "b"): {"a": 0.2}}).rule.name == (
        "1 set with costs of its own, the rest p-discounted, r = 0.5"
    )
