"""Whether data of a page that were stored hold together, as those that no one has edited do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import isclose, isfinite
from typing import Any

from wager.report.page._packed import unpack

_ROUNDING = 1e-6  # of sums of weights, relative to all of them
_KINDS = ("comparison", "evaluation", "store", "empty")
_PARTS = {"title", "classes", "utilities", "joint", "costs", "sequences", "rows", "left_out"}
_FACTS = {"rows", "total_weight", "effective_n", "clusters", "versions", "inputs", "paired"}
_OF_COSTS = {"unit", "rule", "r", "mode", "empty_cost", "range", "estimates"}
_UNITS = ("rows", "weights", "clusters", "known")
_Totals = Mapping[int, float]


def check_stored(data: Mapping[str, Any]) -> None:
    """Raise an error if the parts of the data of a page contradict each other.

    Errors of types and places that are missing are those of Python.

    Parameters
    ----------
    data : mapping
        The dictionary of a page, as it was read.
    """
    _require(data["kind"] in _KINDS, "the kind is not known")
    for part, keys in ((data, _PARTS), (data["facts"], _FACTS)):
        _require(keys <= part.keys(), "a part is missing")
    names = [*_named(data["classifiers"]), *(data["store"] or {"learners": []})["learners"]]
    _require(all(isinstance(name, str) for name in names), "a name is not text")
    _require(len(set(names)) == len(names), "two classifiers have the same name")
    _require(0 < data["facts"]["level"] < 1, "the level is not between 0 and 1")
    if data["store"] is not None:
        _check_store(data["store"])
    if not data["classifiers"]:
        return
    _require(data["facts"]["units"] in _UNITS, "the units are not known")
    K = data["facts"]["n_classes"]
    _require(len(data["classes"]) == K, "the classes are not as many as their number")
    _require(all(isinstance(label, str) for label in data["classes"]), "a class is not text")
    _require(isinstance(data["facts"]["paired"], bool), "it is not said whether rows are shared")
    has_pairs = len(data["classifiers"]) > 1 and data["facts"]["paired"]
    _require((data["joint"] is not None) == has_pairs, "the joint counts are missing")
    for utility in data["utilities"]:
        _require(isinstance(utility["name"], str), "the name of a utility is not text")
        _require(isinstance(utility["on_the_line"], bool), "a utility is not described")
        worth = utility["worth"]
        _require(len(worth) == K + 1, "a utility has not a value for each size")
        _require(all(w is None or isfinite(w) for w in worth), "a value of a utility is infinite")
    cells = [_check_classifier(one, K) for one in data["classifiers"]]
    if data["joint"] is not None:
        hits = [{cell: total for cell, total in one.items() if cell % 2} for one in cells]
        _check_units(data["joint"], data["facts"]["units"])
        for one, own in zip(_margins(data["joint"]), hits, strict=True):
            if one is None:
                continue
            _agree({cell: one[cell] for cell in one if cell % 2}, own, "the joint counts")
    if data["costs"] is not None:
        _check_costs(data["costs"], cells)
    for course in data["sequences"]:
        lengths = {len(course[key]) for key in ("n", "mean", "lower", "upper")}
        _require(len(lengths) == 1, "a confidence sequence has lists of different lengths")
        _require({course["a"], course["b"]} <= set(range(len(cells))), "a sequence has no pair")
    if data["rows"] is not None:
        _check_rows(data["rows"], K, len(cells))


def _require(is_right: bool, what: str) -> None:
    if not is_right:
        raise ValueError(what)


def _named(classifiers: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [one["name"] for one in classifiers]


def _sums(numbers: Iterable[int], totals: Iterable[float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for number, total in zip(numbers, totals, strict=True):
        _require(total >= 0 and isfinite(total), "a count is negative or infinite")
        found[number] = found.get(number, 0) + total
    return found


def _agree(found: _Totals, counted: _Totals, what: str) -> None:
    """Raise if totals differ from those of the tally of the same classifier."""
    most = max(counted.values(), default=1.0)
    same = all(
        isclose(found.get(key, 0), counted.get(key, 0), abs_tol=_ROUNDING * most)
        for key in found.keys() | counted.keys()
    )
    _require(same, f"{what} differ from the counts of a classifier")


def _check_classifier(one: Mapping[str, Any], K: int) -> dict[int, float]:
    """The totals of a classifier by cell, which its classes, groups and confusion have too."""
    tally = one["tally"]
    cells: dict[int, float] = {}
    for size, hit, total in tally["cells"]:
        _require(size in range(K + 1) and hit in (0, 1), "a set has an impossible size")
        _require(2 * size + hit not in cells, "a size is counted twice")
        cells[2 * size + hit] = total
    _sums(cells, cells.values())
    if tally["squares"] is not None:
        n, length = len(cells), len(unpack(tally["squares"]))
        _require(length in (n, n * (n + 1) // 2), "the squares are not those of the counts")
    for key, n_parts in (("by_class", K), ("groups", len((one["groups"] or {}).get("labels", [])))):
        if one[key] is not None:
            numbers = list(accumulate(unpack(one[key]["cells"])))
            _require(max(numbers) < n_parts * (2 * K + 2), f"{key} has a part that is not named")
            found = _sums((i % (2 * K + 2) for i in numbers), unpack(one[key]["totals"]))
            _agree(found, cells, "the counts of classes or groups")
    if one["confusion"] is not None:
        numbers = list(accumulate(unpack(one["confusion"]["cells"])))
        _require(max(numbers) < 2 * K * K, "the confusion has a class that is not named")
        kinds = [_size_of(number, K) for number in numbers]
        by_size = _sums((cell // 2 for cell in cells), cells.values())
        _agree(_sums(kinds, unpack(one["confusion"]["totals"])), by_size, "the confusion")
    return cells


def _size_of(number: int, K: int) -> int:
    """The set size of a kind of prediction: single classes, 2, ..., K classes, the empty set."""
    kind = number % (2 * K)
    return 1 if kind < K else 0 if kind == 2 * K - 1 else kind - K + 2


def _check_units(joint: Mapping[str, Any], units: str) -> None:
    rows = joint["rows"]
    if rows is not None:
        _require((rows["squares"] is not None) == (units == "weights"), "weights are missing")
        _require((rows["clusters"] is not None) == (units == "clusters"), "clusters are missing")


def _margins(joint: Mapping[str, Any]) -> list[_Totals | None]:
    """The totals of the outcomes of each classifier; None if all its pairs were left out."""
    outcomes = [unpack(numbers) for numbers in joint["outcomes"]]
    if joint.get("cells") is not None:
        return [_sums(outcomes[0], unpack(joint["cells"]["totals"]))]
    if joint["rows"] is not None:
        columns = [unpack(column) for column in joint["rows"]["columns"]]
        totals = joint["rows"]["totals"]
        each = [1] * len(columns[0]) if totals is None else unpack(totals)
        return [
            _sums((own[place] for place in column), each)
            for own, column in zip(outcomes, columns, strict=True)
        ]
    found: dict[int, _Totals] = {}
    for pair in joint["pairs"]:
        if "facts" in pair:
            continue
        first, second = outcomes[pair["a"]], outcomes[pair["b"]]
        places = [divmod(i, len(second)) for i in accumulate(unpack(pair["cells"]))]
        totals = unpack(pair["totals"])
        for who, numbers in (
            (pair["a"], [first[place] for place, _ in places]),
            (pair["b"], [second[place] for _, place in places]),
        ):
            sums = _sums(numbers, totals)
            _agree(sums, found.setdefault(who, sums), "the counts of a pair")
    return [found.get(i) for i in range(len(outcomes))]


def _check_costs(costs: Mapping[str, Any], cells: Sequence[_Totals]) -> None:
    K, sets, matrix = len(costs["classes"]), costs["sets"], costs["matrix"]
    _require(costs.keys() >= _OF_COSTS, "a part of the costs is missing")
    rule = costs["rule"]
    _require(rule["kind"] in ("fixed", "p-discounted"), "the rule of the costs is not known")
    if rule["kind"] == "p-discounted":
        inside, outside, r = float(rule["inside"]), float(rule["outside"]), costs["r"]
        mode = "cautious" if inside == outside else "mistake-averse"
        _require(costs["mode"] == mode, "the mode of the costs is not that of their rule")
        follows = r is None or (isclose(inside, 1 - r) and outside in (inside, 2 - inside))
        _require(follows, "r is not that of the rule of the costs")
    if matrix is not None:
        _require([len(row) for row in matrix] == [K] * K, "the costs are not a square matrix")
        _require(all(cost >= 0 for row in matrix for cost in row), "a cost is negative")
    if costs["joint"] is None:
        _require(len(costs["estimates"]) == len(cells), "the costs are not those of all")
        return
    margins = _margins(costs["joint"])
    if costs["values"] is not None:
        outcomes = [unpack(numbers) for numbers in costs["joint"]["outcomes"]]
        lengths = [len(values) for values in costs["values"]]
        _require(lengths == [len(numbers) for numbers in outcomes], "an outcome has no cost")
    if not sets:  # costs that differ between rows
        return
    for margin, own in zip(margins, cells, strict=True):
        assert margin is not None  # costs are left out as a whole
        keys = []
        for number in margin:
            members, truth = sets[number // K], number % K
            keys.append(2 * len(members) + (truth in members))
        _agree(_sums(keys, margin.values()), own, "the outcomes of the costs")


def _check_rows(rows: Mapping[str, Any], K: int, n: int) -> None:
    shown = len(rows["truth"])
    _require(shown == rows["shown"] <= rows["n"], "the rows are not as many as their number")
    _require(set(rows["truth"]) <= set(range(K)), "a row has an unknown class")
    _require([len(column) for column in rows["columns"]] == [shown] * n, "a row is missing")
    places = {place for column in rows["columns"] for place in column}
    _require(places <= set(range(len(rows["sets"]))), "a row has an unknown set")


def _check_store(store: Mapping[str, Any]) -> None:
    n = len(store["learners"])
    _require(len(store["datasets"]) == len(store["shares"]), "a data set has no results")
    _require((store["nemenyi_q"] is not None) == (n > 2), "the critical value is missing")
    for row in store["shares"]:
        _require(len(row) == n, "a learner has no results")
        for cells in row:
            _require(
                cells is None or isclose(sum(share for *_, share in cells), 1, abs_tol=_ROUNDING),
                "the shares of outcomes do not add up to 1",
            )
