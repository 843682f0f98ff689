"""``wager costs new``: a file that explains itself, and that every command reads."""

import pytest

from wager.costs import CostMatrix, cost_template, read_costs

LABELS = ["healthy", "flu, bad", "a|b", 'the "other"']


@pytest.mark.parametrize("name", ["costs.toml", "costs.csv"])
def test_the_file_is_read_back(wager, tmp_path, name):
    file = tmp_path / name
    result = wager("costs", "new", 'healthy,"flu, bad",a|b', "-o", file)
    assert result.exit_code == 0, result.stderr
    assert "costs of 3 classes; edit them, then use --costs" in result.stdout
    costs = read_costs(file)
    assert isinstance(costs, CostMatrix)
    assert costs.classes.tolist() == LABELS[:3]
    assert (costs.costs == CostMatrix.zero_one(LABELS[:3]).costs).all()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_whatever_the_marks_are_removed_from_is_valid(tmp_path):
    """A user who uncomments the settings gets costs of sets."""
    text = cost_template(LABELS, unit="EUR")
    active = [
        line[2:] if line.startswith(("# [", "# rule", "# r =", "# mode", '# "')) else line
        for line in text.splitlines()
    ]
    file = tmp_path / "costs.toml"
    file.write_text("\n".join(active), encoding="utf-8")
    costs = read_costs(file)
    assert costs.unit == "EUR"
    assert costs.cost(["healthy", "flu, bad"], "healthy") == 0.25
    assert costs.cost(["healthy", "a|b"], "healthy") == pytest.approx(0.25)


def test_numbers_stay_numbers(tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text(cost_template(["0", "1", "2"]))
    assert read_costs(file).classes.tolist() == [0, 1, 2]
    assert cost_template([0, 1], layout="csv") == "predicted,0,1\n0,0,1\n1,1,0"


def test_without_a_file_it_is_printed(wager):
    result = wager("costs", "new", "a,b", "--unit", "EUR")
    assert 'unit = "EUR"\n' in result.stdout
    assert "  [          0,   1 ],  # a\n" in result.stdout


def test_a_file_is_overwritten_only_by_force(wager, tmp_path):
    file = tmp_path / "costs.toml"
    file.write_text("mine")
    result = wager("costs", "new", "a,b", "-o", file)
    assert result.exit_code == 2
    assert "exists already: choose another file, or overwrite it with --force" in result.stderr
    assert file.read_text() == "mine"
    assert wager("costs", "new", "a,b", "-o", file, "--force").exit_code == 0
    assert read_costs(file).classes.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a",), "costs need at least two classes, such as a,b,c"),
        (("a,a",), "duplicate class 'a'"),
        (("a,b", "-o", "costs.txt"), "costs are read from files that end in .toml or .csv"),
        (
            ("a,b", "--csv", "-o", "costs.toml"),
            "costs.toml would contain CSV: end the name in .csv",
        ),
        (("a,b", "--csv", "--unit", "EUR"), "a CSV file of costs has no place for a unit"),
        (("a,b", "--unit", " "), "unit must be a short text such as 'EUR'"),
    ],
)
def test_a_mistake_is_one_sentence(wager, arguments, words):
    result = wager("costs", "new", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("wager: ")
    assert words in result.stderr


def test_a_layout_is_toml_or_csv():
    with pytest.raises(ValueError, match="layout must be 'toml' or 'csv'"):
        cost_template(["a", "b"], layout="xlsx")
