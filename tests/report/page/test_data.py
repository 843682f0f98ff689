"""The data of a page: their shape, that they are complete, and that they stay small."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.report.page.agreement import SHAPES, comparison, some_sets
from tests.report.page.browsing import CLASSES, predictions
from tests.report.page.format import check_data
from wager.compare import head_to_head
from wager.costs import CostMatrix
from wager.partitions import standardize, to_memberships
from wager.report.page import Page, page, report_data
from wager.report.page._packed import pack, unpack
from wager.report.page._stored import check_stored
from wager.rewards import (
    PairedTally,
    Quadratic,
    Tabulated,
    Tally,
    evaluate_probabilities,
    evaluate_sets,
)


def text_of(data):
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


@given(st.lists(st.integers(0, 2**53)))
def test_packed_lists_are_read_back(numbers):
    assert unpack(pack(numbers)) == numbers
    assert unpack(numbers) == numbers


@pytest.mark.parametrize("kind", SHAPES)
def test_a_comparison_has_the_documented_shape(kind):
    check_data(report_data(comparison(kind)))


def test_costs_have_the_documented_shape():
    y, sets = ["a", "b", "b", "a"], {"x": ["a", "a|b", "b", "b"], "y": ["a", "b", "b", "a|b"]}
    costs = CostMatrix([[0, 5], [1, 0]], ["a", "b"], unit="EUR")
    table = costs.extend({("a", "b"): {"a": 0.5, "b": 0.25}})
    for rule in (costs.extend(r=0.3), costs.extend("abellan-masegosa"), table):
        check_data(report_data(head_to_head(y, sets, costs=rule)))
    by_row = np.ones((4, 2, 2)) - np.eye(2)
    check_data(report_data(head_to_head(y, sets, ["u65"], costs=by_row)))


@pytest.mark.parametrize("unit", ["rows", "counts", "weights", "clusters", "weighted clusters"])
@pytest.mark.parametrize("skill", [0.0, 0.5, 1.0])
def test_the_page_of_probabilities_has_the_accuracy_of_their_units(unit, skill):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 60)
    best = np.where(rng.random(60) < skill, y, (y + 1) % 3)
    proba = 0.7 * np.eye(3)[best] + 0.1
    units = {
        "rows": {},
        "counts": {"counts": rng.integers(1, 4, 60)},
        "weights": {"sample_weight": rng.exponential(1.0, 60)},
        "clusters": {"groups": np.arange(60) // 7},
        "weighted clusters": {
            "groups": np.arange(60) // 7,
            "sample_weight": rng.exponential(1.0, 60),
        },
    }[unit]
    tally = Tally.of(y, best, [0, 1, 2], **units)
    data = report_data(evaluate_probabilities(y, proba, **units))
    check_data(data)
    expected = report_data(tally)
    (one,), (other,) = data["classifiers"], expected["classifiers"]
    for (size, hit, total), cell in zip(
        one["tally"]["cells"], other["tally"]["cells"], strict=True
    ):
        assert [size, hit, pytest.approx(total)] == cell
    assert one["tally"]["units"] == other["tally"]["units"]
    squares = [np.asarray(unpack(part["tally"]["squares"]) if part["tally"]["squares"] else [])
               for part in (one, other)]  # fmt: skip
    assert squares[0] == pytest.approx(squares[1])
    for fact in ("units", "total_weight", "effective_n"):
        assert data["facts"][fact] == pytest.approx(expected["facts"][fact])


def test_evaluations_and_tallies_have_the_documented_shape():
    y, sets = ["a", "b", "b"], [["a"], ["a", "b"], []]
    for source in (
        evaluate_sets(y, sets, classes=["a", "b"]),
        evaluate_sets(y, sets, classes=["a", "b"], costs=[[0, 1], [2, 0]], empty_cost=1),
        evaluate_probabilities(y, [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]),
        Tally.of(y, sets, ["a", "b"]),
        Tally.from_distribution([(1, True, Fraction(1, 2)), (2, True, Fraction(1, 2))]),
        {"one": Tally.of(y, sets, ["a", "b"]), "two": Tally.of(["a"], ["a"], ["a", "b"])},
        PairedTally.of(y, sets, ["a", "b", "b"], ["a", "b"]),
    ):
        check_data(report_data(source))


def test_the_same_input_gives_the_same_text():
    assert text_of(report_data(comparison("plain"))) == text_of(report_data(comparison("plain")))


def test_names_of_classes_and_classifiers_are_texts():
    found = head_to_head([1, 2, 2], {"a": [1, 2, 1], "b": [[1, 2], [2], [1]]})
    data = report_data(found, title="numbers", by=[7, 7, 8])
    assert data["classes"] == ["1", "2"]
    assert data["classifiers"][0]["groups"]["labels"] == ["7", "8"]
    assert data["title"] == "numbers"
    check_data(data)


def joint_cells(data):
    """The joint counts of every two classifiers, by the pair and the two outcomes."""
    joint = data["joint"]
    outcomes = [unpack(numbers) for numbers in joint["outcomes"]]
    found = {}
    if joint["rows"] is not None:
        columns = [unpack(column) for column in joint["rows"]["columns"]]
        totals = joint["rows"]["totals"]
        totals = [1] * len(columns[0]) if totals is None else unpack(totals)
        for i, j in combinations(range(len(columns)), 2):
            cells = found.setdefault((i, j), {})
            for a, b, total in zip(columns[i], columns[j], totals, strict=True):
                key = outcomes[i][a], outcomes[j][b]
                cells[key] = cells.get(key, 0) + total
        return found
    for pair in joint["pairs"]:
        i, j = pair["a"], pair["b"]
        numbers = np.cumsum(unpack(pair["cells"]))
        place = np.divmod(numbers, len(outcomes[j]))
        found[i, j] = {
            (outcomes[i][a], outcomes[j][b]): total
            for a, b, total in zip(*place, unpack(pair["totals"]), strict=True)
        }
    return found


@given(st.integers(0, 10**6), st.sampled_from([3, 40, 800]), st.integers(2, 5), st.booleans())
def test_joint_counts_are_those_of_the_paired_tallies(seed, n, m, counted):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 6, n)
    sets = {f"c{i}": some_sets(rng, y, 6, 0.5, 2.0, 0.1) for i in range(m)}
    counts = rng.integers(1, 9, n) if counted else None
    found = head_to_head(y, sets, classes=list(range(6)), counts=counts)
    for (i, j), cells in joint_cells(report_data(found)).items():
        expected = {}
        paired = found.pairs[f"c{i}", f"c{j}"]
        for (size_a, hit_a, size_b, hit_b), count in zip(
            paired.outcomes.tolist(), paired.counts.tolist(), strict=True
        ):  # misses of all sizes are one outcome
            key = (2 * size_a + 1) * hit_a, (2 * size_b + 1) * hit_b
            expected[key] = expected.get(key, 0) + count
        assert cells == expected


@pytest.mark.long
@pytest.mark.parametrize("size", [2.0, 8.0, 40.0])
def test_twenty_classifiers_of_a_hundred_classes_stay_below_a_megabyte(size):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 100, 5000)
    sets = {f"c{i}": some_sets(rng, y, 100, 0.3 + 0.1 * i, size) for i in range(20)}
    data = report_data(head_to_head(y, sets))
    check_data(data)
    assert len(Page(data).html.encode()) <= 1_000_000
    assert data["left_out"] == []
    assert all(one["confusion"] is not None for one in data["classifiers"])


def test_sections_without_room_are_left_out_with_a_sentence():
    found = comparison("clusters")
    whole = report_data(found, full=True, limit=10)
    assert whole["left_out"] == []
    size = len(text_of(whole))
    confusion = sum(len(text_of(one["confusion"])) for one in whole["classifiers"])
    less = report_data(found, limit=size - confusion // 2, pair_limit=0)
    assert less["left_out"] == [
        "The confusion of classes is left out because of the size of the page: keep it with --full."
    ]
    assert all(one["confusion"] is None for one in less["classifiers"])
    assert less["joint"] == whole["joint"]
    least = report_data(found, limit=10, pair_limit=0)
    check_data(least)
    assert len(least["left_out"]) == 3
    assert all(pair["facts"]["sentence"] for pair in least["joint"]["pairs"])


def test_a_section_returns_if_there_is_room_for_it_in_the_end():
    rng = np.random.default_rng(0)
    y, groups = rng.integers(0, 12, 1500), rng.integers(0, 200, 1500)
    sets = {f"c{i}": some_sets(rng, y, 12, 0.6, 4.0) for i in range(3)}
    found = head_to_head(y, sets, groups=groups)
    whole = report_data(found, full=True)
    confusion, classes = (
        sum(len(text_of(one[key])) for one in whole["classifiers"])
        for key in ("confusion", "by_class")
    )
    assert confusion < classes  # without the classes there is room for the confusion
    data = report_data(found, limit=len(text_of(whole)) - classes + 100, pair_limit=0)
    assert data["left_out"] == [
        "The results of single classes are left out because of the size of the page: keep them "
        "with --full."
    ]
    assert all(one["confusion"] is not None for one in data["classifiers"])


def test_utilities_say_what_hits_are_worth():
    found = comparison("plain", utilities=[Quadratic(0.7), Tabulated([1, 0.6, 0.5, 0.4]), "f1"])
    first, table, f1 = report_data(found)["utilities"]
    assert first["worth"] == pytest.approx(Quadratic(0.7).of_size([0, 1, 2, 3, 4]).tolist())
    assert (first["on_the_line"], table["on_the_line"], f1["on_the_line"]) == (True, False, False)
    assert table["worth"] == [0, 1, 0.6, 0.5, 0.4]


def test_tallies_over_different_classes_are_refused():
    two, three = (Tally.of([0], [0], list(range(k))) for k in (2, 3))
    with pytest.raises(ValueError, match="different numbers of classes"):
        report_data({"two": two, "three": three})


def test_what_cannot_be_reported_is_refused():
    with pytest.raises(ValueError, match="cannot report an object of type int"):
        report_data(3)
    with pytest.raises(ValueError, match="x is an object of type str, not a Tally"):
        report_data({"x": "y"})


def stored(**options):
    y, sets = predictions(80)
    costs = CostMatrix([[0, 1, 4, 9], [1, 0, 2, 6], [5, 2, 0, 1], [9, 7, 1, 0]], CLASSES)
    found = head_to_head(y, sets, ["u65", "f1"], costs=costs, classes=CLASSES, **options)
    return report_data(found)


def changed(path, value):
    *parts, last = path.split("/")

    def change(data):
        for part in parts:
            data = data[int(part) if part.isdigit() else part]
        place = int(last) if last.isdigit() else last
        data[place] = value(data[place]) if callable(value) else value

    return change


def without(path):
    *parts, last = path.split("/")

    def change(data):
        for part in parts:
            data = data[int(part) if part.isdigit() else part]
        del data[last]

    return change


EDITED = {
    "a count": changed("classifiers/1/tally/cells/0/2", lambda count: count + 1),
    "a class more": changed("classes", lambda classes: [*classes, "eel"]),
    "the name of another": changed("classifiers/1/name", "plain"),
    "a level in per cent": changed("facts/level", 95),
    "other units": changed("facts/units", "weights"),
    "the counts of classes": changed("classifiers/0/by_class/totals", lambda t: t[:-1] + "C"),
    "the confusion of another": changed("classifiers/0/confusion/totals", lambda t: t[:-1] + "C"),
    "no joint counts": changed("joint", None),
    "no part": without("left_out"),
    "no costs of a class": changed("costs/matrix", lambda matrix: matrix[1:]),
    "a negative cost": changed("costs/matrix/0/1", -1),
    "another r": changed("costs/r", 0.25),
    "another rule": changed("costs/rule/inside", 0.25),
    "a set of the costs": changed("costs/sets/0", lambda members: [*members, 0, 1]),
    "a utility of other sizes": changed("utilities/1/worth", lambda worth: worth[1:]),
}


@pytest.mark.parametrize("edit", EDITED)
def test_stored_data_that_were_edited_are_refused(edit, tmp_path):
    data = json.loads(json.dumps(stored()))
    path = tmp_path / "report.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    page([path], tmp_path / "report.html")
    EDITED[edit](data)
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ValueError, match="has data of a report that are damaged"):
        page([path], tmp_path / "report.html")


def assert_read_again(found):
    """The data pass the check as they are, and do not with another level."""
    data = json.loads(text_of(found))
    assert check_stored(data) is None
    data["facts"]["level"] = 95
    with pytest.raises(ValueError, match="level"):
        check_stored(data)


@pytest.mark.parametrize("kind", SHAPES)
def test_stored_data_of_every_kind_are_read_again(kind):
    assert_read_again(report_data(comparison(kind)))


@pytest.mark.parametrize("unit", ["rows", "weights", "counts", "clusters"])
def test_stored_data_of_every_unit_are_read_again(unit):
    rng = np.random.default_rng(2)
    options = {
        "rows": {},
        "weights": {"sample_weight": rng.exponential(1.0, 80)},
        "counts": {"counts": rng.integers(1, 4, 80)},
        "clusters": {"groups": np.arange(80) // 6},
    }[unit]
    assert_read_again(stored(**options))


def test_memberships_whose_sums_are_a_little_off_are_made_by_softmax_as_in_scores(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("y_true,m:a,m:b\na,0.500005,0.5\nb,0.25,0.75\na,0.9,0.1\nb,0.4,0.6\n")
    shown = page([path]).data["classifiers"][0]["memberships"]
    scores = to_memberships([[0.500005, 0.5], [0.25, 0.75], [0.9, 0.1], [0.4, 0.6]])
    expected = standardize(["a", "b", "a", "b"], scores).measures_before
    assert shown["measures"]["separation"] == pytest.approx(expected.separation)
