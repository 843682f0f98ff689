import bz2
import gzip
import lzma
import re

import numpy as np
import pytest

from tests.costs.strategies import OBSTACLES, TABLE_I
from wager.costs import (
    CostMatrix,
    ExtendedCosts,
    cost_template,
    costs_to_csv,
    other_classes,
    read_costs,
)

SMALL = "classes = ['a', 'b']\ncosts = [[0, 1], [1, 0]]\n"
PLAIN = "predicted,h,b,n\nh,0,1,2\nb,1,0,2\nn,4,4,0\n"


def written(tmp_path, text, name="costs.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_csv_file_of_single_classes_is_a_cost_matrix(tmp_path):
    costs = read_costs(written(tmp_path, PLAIN))
    assert isinstance(costs, CostMatrix)
    assert costs.classes.tolist() == OBSTACLES
    assert costs.costs.tolist() == TABLE_I
    assert CostMatrix.from_file(tmp_path / "costs.csv").costs.tolist() == TABLE_I


def test_rows_may_come_in_any_order_and_sets_may_follow(tmp_path):
    text = "predicted,h,b,n\nn,4,4,0\nh | b,0.25,0.25,2\nh,0,1,2\n\nb,1,0,2\n"
    extended = read_costs(written(tmp_path, text))
    assert isinstance(extended, ExtendedCosts)
    assert extended.cost(["h", "b"], "h") == 0.25
    assert extended.cost(["h", "n"], "b") == pytest.approx(2.25)  # p-discounted fills the rest
    assert extended.determinate.costs.tolist() == TABLE_I


def test_labels_that_are_all_integers_are_read_as_such(tmp_path):
    costs = read_costs(written(tmp_path, "p,1,2\n1,0,1\n2,1,0\n1|2,0.2,0.3\n"))
    assert costs.classes.tolist() == [1, 2]
    assert costs.cost([1, 2], 2) == 0.3


@pytest.mark.parametrize("rule", ["discounted", "p-discounted", "abellan-masegosa"])
def test_what_is_written_is_read_again(tmp_path, rule):
    labels = ["a|b", "c\\", "d,e"]
    extended = CostMatrix(TABLE_I, labels).extend(rule)
    again = read_costs(written(tmp_path, costs_to_csv(extended)))
    assert again.classes.tolist() == labels
    np.testing.assert_allclose(again.matrix(), extended.matrix(), rtol=1e-12)
    single = read_costs(written(tmp_path, costs_to_csv(CostMatrix(TABLE_I, labels))))
    assert single.costs.tolist() == TABLE_I


def test_toml_contains_costs_sets_and_the_extension(tmp_path):
    text = """
    classes = ["h", "b", "n"]
    costs = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    [sets]
    "h|b" = { h = 0.3 }
    "h|b|n" = [1, 2, 3]
    [extension]
    rule = "discounted"
    """
    extended = read_costs(written(tmp_path, text, "costs.toml"))
    assert extended.cost(["h", "b"], "h") == 0.3
    assert extended.cost(["h", "b"], "b") == 0.5
    assert extended.cost(OBSTACLES, "n") == 3


def test_toml_knows_the_ready_made_matrices(tmp_path):
    ordinal = read_costs(
        written(tmp_path, 'kind = "ordinal"\np = 2\nclasses = [1, 2, 3]', "a.toml")
    )
    assert ordinal.costs[0].tolist() == [0, 1, 4]
    ha = read_costs(
        written(
            tmp_path,
            'kind = "ha"\neta = [1, 2]\nclasses = ["a", "b"]\n'
            '[extension]\nrule = "ha"\ndelta = 0.1',
            "b.toml",
        )
    )
    assert ha.cost(["a", "b"], "a") == pytest.approx(0.1)
    zero_one = read_costs(written(tmp_path, 'kind = "zero-one"\nclasses = ["a", "b"]', "c.toml"))
    assert zero_one.costs.tolist() == [[0, 1], [1, 0]]
    plain = read_costs(written(tmp_path, 'kind = "ordinal"\nclasses = [1, 2, 3]', "d.toml"))
    assert plain.costs[0].tolist() == [0, 1, 2]  # the distance of ranks itself


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.csv", "predicted,h\nh,0\n", "at least two classes"),
        ("x.csv", "predicted,h,n\nh,0,1\n", "a header with the true classes and one row per"),
        ("x.csv", "predicted,h\nh,0\nn,1\n", "a header with the true classes and one row per"),
        ("x.csv", "p,a,b\na,0,1\nb,1\n", "line 3 has 2 cells but the header has 3"),
        ("x.csv", "p,a,b\na,0,one\nb,1,0\n", "line 2 has 'one' where a cost"),
        ("x.csv", "p,a,b\na,0,1\nc,1,0\n", "'c'"),
        ("x.csv", "p,a,b\na,0,1\na|b,1,0\n", "one row and one column"),
        (
            "x.csv",
            "p,a,b\na,0,1\nb,-1,0\n",
            "predicting b when a is true is -1: costs must be 0 or more",
        ),
        ("x.csv", "p,a,b\na,0,1\nb,1,0\na|c,1,0\n", "'c'"),
        ("x.csv", "p,a,b\na,0,NA\nb,1,0\n", "line 2 has 'NA' where the cost for the true class b"),
        ("x.csv", "p,a,b\na,0,1\n\nb,,0\n", "line 4 has an empty cell where the cost for the true"),
        ("x.csv", 'p,a,b\na,0,"1,5"\nb,1,0\n', "write 1.5, or separate the cells by semicolons"),
        ("x.csv", "p,a,b\na,0,one\n\n\nb,1,x\n", "line 2 has 'one' where a cost is expected"),
        ("x.toml", "classes = 5\ncosts = [[0, 1], [1, 0]]", "classes must be a list of labels"),
        ("x.toml", "classes = [['a'], 'b']\nkind = 'zero-one'", "classes must be a list of labels"),
        (
            "x.toml",
            "kind = 3\nclasses = ['a', 'b']",
            "kind must be 'zero-one', 'ordinal' or 'ha', got 3",
        ),
        (
            "x.toml",
            "kind = 'ordinal'\np = 'x'\nclasses = ['a', 'b']",
            "p must be a number, got 'x'",
        ),
        (
            "x.toml",
            "kind = 'ha'\neta = 'x'\nclasses = ['a', 'b']",
            "eta must be a number, or a list",
        ),
        ("x.toml", "costs = 'x'", "costs must be a list of rows of numbers"),
        (
            "x.toml",
            "costs = [[0, 'x'], [1, 0]]",
            "the cost of predicting 0 when 1 is true is 'x': write a number",
        ),
        ("x.toml", "costs = [[0, 1], [1]]", "row 2 of costs (predicted 1) has 1 number,"),
        ("x.toml", f"{SMALL}sets = 3", "sets must be a table such as"),
        ("x.toml", f"{SMALL}[sets]\n'a|b' = 'x'", "sets.'a|b' must be a list or table of numbers"),
        (
            "x.toml",
            f"{SMALL}[sets]\n'a|b' = {{ a = 'x' }}",
            "the cost of the set a|b when a is true is 'x': write a number",
        ),
        ("x.toml", f"{SMALL}extension = 3", "extension must be a table such as"),
        ("x.toml", f"{SMALL}extension.r = []", "extension.r must be a number, got []"),
        ("x.toml", f"{SMALL}extension.rule = 1", "extension.rule must be a text, got 1"),
        ("x.toml", f"{SMALL}extension.mode = 1", "extension.mode must be a text, got 1"),
        (
            "x.toml",
            f"{SMALL}extension.epsilon = 'x'",
            "extension.epsilon must be a number, got 'x'",
        ),
        (
            "x.toml",
            f"{SMALL}extension.utility = []",
            "extension.utility must be the name of a util",
        ),
        ("x.toml", "costs = " + "[" * 2000, "nested too deeply"),
        ("x.toml", "a." * 2000 + "b = 1", "nested too deeply"),
        ("x.toml", "costs = [[0, 1]", "not a valid TOML file"),
        ("x.toml", "classes = ['a', 'b']", "give costs"),
        ("x.toml", "cost = 1", "unknown setting 'cost'"),
        ("x.toml", "kind = 'odd'\nclasses = ['a', 'b']", "got 'odd'"),
        ("x.toml", "kind = 'ordinal'", "need classes"),
        ("x.txt", "", "end in .csv or .toml"),
        ("x.csv", "p,a,b\na,0,1\nb,1,0\na|b,0,0\na|b,1,1\n", "line 5 lists the set 'a|b' again"),
        ("x.csv", "p,a,b\na,0,1\nb,1,0\n,9,9\n", "line 4 has no predicted class"),
        (
            "x.toml",
            f"{SMALL}[sets]\n'a|b' = {{ a = 1 }}\n'a | b' = {{ b = 2 }}",
            "[sets] lists the set 'a|b' again",
        ),
        (
            "x.toml",
            "kind = 'ha'\neta = 1\nclasses = ['a', 'b']\ncosts = [[0, 9], [9, 0]]",
            "costs has no effect beside kind = 'ha': leave one of them out",
        ),
        ("x.toml", "kind = 'zero-one'\neta = 5\nclasses = ['a', 'b']", "eta has no effect beside"),
        ("x.toml", "kind = 'ha'\np = 2\nclasses = ['a', 'b']", "p has no effect beside kind"),
        ("x.toml", f"p = 2\n{SMALL}", "p has no effect beside costs = [[...], ...]"),
    ],
)
def test_errors_name_the_file_and_the_place(tmp_path, name, text, words):
    path = written(tmp_path, text, name)
    with pytest.raises(ValueError) as caught:
        read_costs(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (PLAIN.replace(",", ";"), "costs.csv"),
        (PLAIN.replace(",", "\t"), "costs.tsv"),
        ("sep=;\n" + PLAIN.replace(",", ";"), "costs.csv"),
        (PLAIN.replace("\n", ",\n"), "costs.csv"),
        (PLAIN.replace(",", " , "), "costs.csv"),
        (PLAIN.replace("\n", "\r\n"), "costs.csv"),
        ("\n\n" + PLAIN.replace("\n", "\n\n"), "costs.csv"),
        (PLAIN.encode("utf-8-sig"), "costs.csv"),
        (PLAIN.encode("utf-16"), "costs.csv"),
        (gzip.compress(PLAIN.encode(), mtime=0), "costs.csv.gz"),
        (bz2.compress(PLAIN.encode()), "costs.csv.bz2"),
        (lzma.compress(PLAIN.encode()), "costs.csv.xz"),
        (
            gzip.compress(b"classes=['h','b','n']\ncosts=[[0,1,2],[1,0,2],[4,4,0]]", mtime=0),
            "c.toml.gz",
        ),
        ("\ufeffclasses=['h','b','n']\ncosts=[[0,1,2],[1,0,2],[4,4,0]]", "c.toml"),
    ],
)
def test_costs_are_read_however_the_file_was_written(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    costs = read_costs(path)
    assert costs.classes.tolist() == OBSTACLES
    assert costs.costs.tolist() == TABLE_I


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_commas_are_read_where_they_can_be_told_from_delimiters(tmp_path, delimiter):
    text = "predicted;a;b\na;0;1,5\nb;2.5;0\na|b;0,25;,5\n".replace(";", delimiter)
    extended = read_costs(written(tmp_path, text))
    assert extended.determinate.costs.tolist() == [[0, 1.5], [2.5, 0]]
    assert extended.cost(["a", "b"], "b") == 0.5


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_costs(tmp_path / "none.csv")


def test_bytes_that_are_not_text_are_refused(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        read_costs(path)


def test_costs_of_sets_are_not_a_cost_matrix(tmp_path):
    path = written(tmp_path, PLAIN + "h|b,0.25,0.25,2\n")
    with pytest.raises(ValueError, match="costs of sets as well"):
        CostMatrix.from_file(path)


def test_the_example_of_a_new_file_is_valid_without_its_marks(tmp_path):
    for classes in (["1", "2", "3"], ["a", "b"], ["a", "b", "c", "d"]):
        text = cost_template(classes)
        whole = re.sub(r"^# (?=\[|\"|\w+ = \S+$)", "", text, flags=re.MULTILINE)
        extended = read_costs(written(tmp_path, whole, "new.toml"))
        pair = extended.classes[:2].tolist()
        assert [str(label) for label in extended.classes] == classes
        assert [extended.cost(pair, label) for label in extended.classes] == [
            0.25, 0.25, *[1] * (len(classes) - 2)
        ]  # fmt: skip
        assert extended.rule.otherwise.name == "p-discounted, r = 0.5"


def test_numbers_in_a_new_file_are_numbers():
    assert "classes = [1, 2]" in cost_template(["1", "2"])
    assert 'classes = ["1", "b"]' in cost_template(["1", "b"])


def test_classes_without_predictions_are_listed():
    costs = CostMatrix.zero_one(["a", "b", "c"])
    assert other_classes(costs, np.array(["a", "c"])) == ["b"]
    assert other_classes(costs.extend(), np.array(["c", "a", "b"])) == []
