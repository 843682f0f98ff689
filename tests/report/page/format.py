"""A checker of the format in docs/how-to/report-format.md, written by hand from that page."""

from __future__ import annotations

from wager.report.page._packed import unpack

TOP = {
    "format", "version", "kind", "title", "facts", "classes", "classifiers", "joint", "utilities",
    "costs", "sequences", "store", "rows", "left_out", "reproduce",
}  # fmt: skip
FACTS = {
    "rows", "total_weight", "n_classes", "units", "effective_n", "clusters", "level", "versions",
    "inputs", "warnings", "paired",
}  # fmt: skip
CLASSIFIER = {
    "name", "kind", "tally", "by_class", "confusion", "groups", "probabilities", "memberships",
}  # fmt: skip
COSTS = {
    "classes", "matrix", "unit", "rule", "r", "mode", "empty_cost", "sets", "joint", "values",
    "range", "estimates",
}  # fmt: skip


def check_data(data):
    """Raise an AssertionError if plain data are not those of a page."""
    assert set(data) == TOP
    assert (data["format"], data["version"]) == ("wager-report", 1)
    assert data["kind"] in ("comparison", "evaluation", "store", "empty")
    assert isinstance(data["title"], str)
    assert set(data["reproduce"]) == {"shell", "python"}
    assert all(isinstance(words, str) for words in data["left_out"])
    _check_facts(data)
    K = data["facts"]["n_classes"]
    for one in data["classifiers"]:
        _check_classifier(one, K, data["facts"]["units"])
    for utility in data["utilities"]:
        assert len(utility["worth"]) == K + 1
        assert isinstance(utility["on_the_line"], bool)
    n = len(data["classifiers"])
    assert (data["joint"] is not None) == (n > 1 and data["facts"]["paired"])
    if data["joint"] is not None:
        _check_joint(data["joint"], n, 2 * K + 2, data["facts"]["units"])
    if data["costs"] is not None:
        _check_costs(data["costs"], n, data["facts"]["units"])


def _check_facts(data):
    facts = data["facts"]
    assert set(facts) == FACTS
    assert facts["units"] in ("rows", "weights", "clusters", "known")
    assert 0 < facts["level"] < 1
    assert len(data["classes"]) == facts["n_classes"]
    assert all(isinstance(label, str) for label in data["classes"])
    for entry in facts["inputs"]:
        assert set(entry) == {"name", "sha256", "bytes"}


def _check_classifier(one, K, units):
    assert set(one) == CLASSIFIER
    assert isinstance(one["name"], str)
    tally = one["tally"]
    assert set(tally) == {"cells", "squares", "units"}
    for size, hit, total in tally["cells"]:
        assert 0 <= size <= K
        assert hit in (0, 1)
        assert total > 0
    _check_squares(tally["squares"], len(tally["cells"]), tally["units"])
    if one["by_class"] is not None:
        _check_parts(one["by_class"], K, K, tally["units"])
    if one["groups"] is not None:
        assert set(one["groups"]) == {"name", "labels", "cells", "totals", "squares"}
        _check_parts(one["groups"], len(one["groups"]["labels"]), K, tally["units"])
    if one["confusion"] is not None:
        numbers = _from_steps(one["confusion"]["cells"])
        assert len(numbers) == len(unpack(one["confusion"]["totals"]))
        assert all(0 <= number < 2 * K * K for number in numbers)
        assert _same(sum(unpack(one["confusion"]["totals"])), sum(c[2] for c in tally["cells"]))


def _check_parts(section, n_parts, K, units):
    width = 2 * K + 2
    numbers = _from_steps(section["cells"])
    assert all(0 <= number < n_parts * width for number in numbers)
    assert len(numbers) == len(unpack(section["totals"]))
    if units == "weights":
        assert len(section["squares"]) == len(numbers)
    elif units == "clusters":
        cells = [sum(number // width == part for number in numbers) for part in range(n_parts)]
        full = [n for n in cells if n]
        assert [len(unpack(part)) for part in section["squares"]] == [
            n * (n + 1) // 2 for n in full
        ]
    else:
        assert section["squares"] is None


def _check_squares(squares, n_cells, units):
    if units == "weights":
        assert len(squares) == n_cells
    elif units == "clusters":
        assert len(unpack(squares)) == n_cells * (n_cells + 1) // 2
    else:
        assert squares is None


def _check_joint(joint, n, width, units):
    outcomes = [unpack(numbers) for numbers in joint["outcomes"]]
    assert len(outcomes) == n
    assert all(len(set(numbers)) == len(numbers) for numbers in outcomes)
    if width is not None:
        assert all(0 <= number < width for numbers in outcomes for number in numbers)
    assert (joint["rows"] is None) != (joint["pairs"] is None)
    if joint["rows"] is not None:
        _check_rows(joint["rows"], outcomes, units)
        return
    assert [(p["a"], p["b"]) for p in joint["pairs"]] == [
        (i, j) for i in range(n) for j in range(i + 1, n)
    ]
    for pair in joint["pairs"]:
        if "facts" in pair:
            assert set(pair["facts"]) == {
                "value", "lower", "upper", "decided", "sentence", "dominance",
            }  # fmt: skip
            continue
        numbers = _from_steps(pair["cells"])
        assert all(
            number < len(outcomes[pair["a"]]) * len(outcomes[pair["b"]]) for number in numbers
        )
        assert sorted(set(numbers)) == numbers
        assert len(unpack(pair["totals"])) == len(numbers)
        _check_squares(pair["squares"], len(numbers), units)


def _check_rows(rows, outcomes, units):
    assert set(rows) == {"columns", "totals", "squares", "clusters"}
    columns = [unpack(column) for column in rows["columns"]]
    assert len({len(column) for column in columns}) == 1
    for column, numbers in zip(columns, outcomes, strict=True):
        assert all(0 <= place < len(numbers) for place in column)
    n_rows = len(columns[0])
    assert rows["totals"] is None or len(unpack(rows["totals"])) == n_rows
    assert (rows["squares"] is not None) == (units == "weights")
    assert (rows["clusters"] is not None) == (units == "clusters")


def _check_costs(costs, n, units):
    assert set(costs) == COSTS
    assert costs["rule"]["kind"] in ("p-discounted", "fixed")
    for positions, by_class in costs["rule"].get("listed", []):
        assert 1 < len(positions) <= len(costs["classes"]) == len(by_class)
    if costs["joint"] is None:
        assert len(costs["estimates"]) == n
        return
    K = len(costs["classes"])
    n_outcomes = len(costs["sets"]) * K if costs["sets"] else None
    if n > 1:
        _check_joint(costs["joint"], n, n_outcomes, units)
    if costs["rule"]["kind"] == "fixed":
        lengths = [len(unpack(numbers)) for numbers in costs["joint"]["outcomes"]]
        assert [len(values) for values in costs["values"]] == lengths
        assert len(costs["range"]) == 3
    else:
        assert len(costs["matrix"]) == K
        assert all(len(row) == K for row in costs["matrix"])


def _from_steps(list_):
    total, found = 0, []
    for step in unpack(list_):
        total += step
        found.append(total)
    return found


def _same(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)
