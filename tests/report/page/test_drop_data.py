"""The data that the page counts from dropped files are those that Python builds.

Lists are unpacked and joint counts are brought into one form before they are compared, because
there are several ways to write the same counts.
"""

from itertools import combinations
from math import isclose

import numpy as np
import pytest

from tests.report.page.dropped import read, with_scripts
from wager.compare import head_to_head
from wager.predictions import as_sets, first_largest, read_predictions
from wager.report.page import report_data
from wager.report.page._packed import unpack
from wager.report.page._probabilities import probability_section
from wager.rewards import evaluate_probabilities

LAST = "\uffff"  # sorted after all names
CLASSES = ("cat", "dog", "fox", "owl")


@pytest.fixture(scope="module")
def reader(browser):
    context = browser.new_context()
    yield with_scripts(context.new_page())
    context.close()


# -- files -----------------------------------------------------------------------------------------


def truths(n, rng):
    return rng.choice(CLASSES, n)


def labels_file(y, rng):
    guess = np.where(rng.random(len(y)) < 0.7, y, rng.choice(CLASSES, len(y)))
    return {"y_pred": guess}


def sets_file(y, rng):
    kept = rng.random((len(y), 4)) < 0.4
    kept[np.arange(len(y)), np.searchsorted(CLASSES, y)] |= rng.random(len(y)) < 0.8
    return {"set": ["|".join(np.array(CLASSES)[row]) for row in kept]}


def flags_file(y, rng):
    kept = rng.random((len(y), 4)) < 0.5
    return {f"in:{label}": kept[:, i].astype(int) for i, label in enumerate(CLASSES)}


def proba_file(y, rng, digits=17):
    p = rng.dirichlet([0.6] * 4, len(y)) + 0.002
    p[np.arange(len(y)), np.searchsorted(CLASSES, y)] += rng.random(len(y))
    p /= p.sum(axis=1, keepdims=True)
    order = rng.permutation(4)  # columns need not be sorted
    return {f"p:{CLASSES[i]}": [f"{x:.{digits}g}" for x in p[:, i]] for i in order}


MAKERS = {"labels": labels_file, "sets": sets_file, "flags": flags_file, "proba": proba_file}
UNITS = {
    "rows": {},
    "counts": {"count": lambda n, rng: rng.integers(0, 4, n)},
    "weights": {
        "weight": lambda n, rng: [f"{x:.3f}" for x in rng.gamma(2, 1, n) * (rng.random(n) > 0.1)]
    },
    "weights and counts": {
        "weight": lambda n, rng: [f"{x:.3f}" for x in rng.gamma(2, 1, n)],
        "count": lambda n, rng: rng.integers(0, 3, n),
    },
    "clusters": {"cluster": lambda n, rng: [f"site {x}" for x in rng.integers(0, 25, n)]},
    "weighted clusters": {
        "cluster": lambda n, rng: rng.integers(0, 25, n),
        "weight": lambda n, rng: [f"{x:.3f}" for x in rng.gamma(2, 1, n)],
    },
    "counted clusters": {
        "cluster": lambda n, rng: rng.integers(0, 12, n),
        "count": lambda n, rng: rng.integers(1, 4, n),
    },
}


def write(path, columns):
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def make_files(folder, makers, units, *, n=300, seed=0, ids=False, group=True):
    """Files of the same rows, one for each maker; with ids they are in different orders."""
    rng = np.random.default_rng(seed)
    y = truths(n, rng)
    shared = {name: list(make(n, rng)) for name, make in units.items()}
    if group:
        shared["group"] = rng.choice(["north", "south", "", "NA"], n).tolist()
    paths = []
    for place, name in enumerate(makers):
        columns = {"y_true": list(y), **MAKERS[name](y, rng), **shared}
        if ids:
            order = rng.permutation(n) if place else np.arange(n)
            columns = {"id": [f"r{i}" for i in range(n)], **columns}
            columns = {key: [values[i] for i in order] for key, values in columns.items()}
        paths.append(folder / f"{name}{place}.csv")
        write(paths[-1], columns)
    return paths


# -- Python's answer -------------------------------------------------------------------------------


def comparison_in_python(paths):
    """The data of the same files, read into memory and compared there."""
    read_files = {path.stem: read_predictions(path, CLASSES) for path in paths}
    first = next(iter(read_files.values()))
    sets = {}
    for name, rows in read_files.items():
        chosen = rows.sets
        if chosen is None:
            chosen = as_sets(np.eye(4, dtype=bool)[first_largest(rows.proba)], CLASSES)
        if rows.id is not None:
            place = {label: i for i, label in enumerate(rows.id.tolist())}
            chosen = chosen[[place[label] for label in first.id.tolist()]]
        sets[name] = chosen
    found = head_to_head(
        first.y_true,
        sets,
        classes=CLASSES,
        sample_weight=first.weight,
        counts=first.count,
        groups=first.cluster,
    )
    groups = None
    if first.group is not None:
        groups = [LAST if name is None else name for name in first.group]  # as in `wager score`
    data = report_data(found, by=groups)
    for one in data["classifiers"]:
        if groups is not None:
            one["groups"]["labels"] = [x.replace(LAST, "(no group)") for x in one["groups"]["labels"]]
    for one, (name, rows) in zip(data["classifiers"], read_files.items(), strict=True):
        assert one["name"] == name
        if rows.proba is not None:
            evaluation = evaluate_probabilities(
                rows.y_true,
                rows.proba,
                classes=CLASSES,
                sample_weight=rows.weight,
                counts=rows.count,
                groups=rows.cluster,
            )
            one["probabilities"] = probability_section(evaluation, 0.95)
    return data


# -- the same form ---------------------------------------------------------------------------------


def ascending(steps):
    return np.cumsum(unpack(steps)).tolist()


def triangles(squares, units):
    return squares if units != "clusters" else [unpack(one) for one in squares]


def plain_classifier(one, units):
    """A classifier with its lists unpacked."""
    parts = {}
    for key in ("by_class", "groups"):
        section = one[key]
        if section is not None:
            part = {"cells": ascending(section["cells"]), "totals": unpack(section["totals"])}
            part["squares"] = (
                None if section["squares"] is None else triangles(section["squares"], units)
            )
            parts[key] = {k: section[k] for k in ("name", "labels") if k in section} | part
    confusion = one["confusion"]
    squares = one["tally"]["squares"]
    return {
        "name": one["name"],
        "tally": one["tally"]["cells"],
        "squares": None if squares is None else unpack(squares),
        "confusion": dict(
            zip(ascending(confusion["cells"]), unpack(confusion["totals"]), strict=True)
        ),
        "probabilities": one["probabilities"],
        **parts,
    }


def joint_counts(joint, units):
    """By pair: total of each joint outcome, and second moments of outcomes."""
    found = {}
    n = len(joint["outcomes"])
    for place, (a, b) in enumerate(combinations(range(n), 2)):
        cells, cluster, total, square = joint_rows(joint, place, a, b)
        totals, moments = {}, {}
        by_unit = {}
        for cell, unit, x, s in zip(cells, cluster, total, square, strict=True):
            totals[cell] = totals.get(cell, 0) + x
            if s is not None:
                moments[cell] = moments.get(cell, 0) + s
            by_unit.setdefault(unit, {}).setdefault(cell, 0)
            by_unit[unit][cell] += x
        if units == "clusters":
            moments = moments_in(joint, place, a, b, by_unit)
        found[a, b] = {"totals": totals, "moments": moments}
    return found


def joint_rows(joint, place, a, b):
    """The joint outcome, the cluster, the total and the squares of each entry."""
    first, second = joint["outcomes"][a], joint["outcomes"][b]
    if joint["rows"] is None:
        pair = joint["pairs"][place]
        assert (pair["a"], pair["b"]) == (a, b)
        numbers = ascending(pair["cells"])
        cells = [(first[i // len(second)], second[i % len(second)]) for i in numbers]
        total = unpack(pair["totals"])
        square = pair["squares"]
        one_each = isinstance(square, list) and len(square) == len(cells)
        return cells, [0] * len(cells), total, square if one_each else [None] * len(cells)
    rows = joint["rows"]
    columns = [unpack(column) for column in rows["columns"]]
    cells = [(first[i], second[j]) for i, j in zip(columns[a], columns[b], strict=True)]
    total = [1] * len(cells) if rows["totals"] is None else unpack(rows["totals"])
    cluster = [0] * len(cells) if rows["clusters"] is None else ascending(rows["clusters"])
    return cells, cluster, total, rows["squares"] or [None] * len(cells)


def moments_in(joint, place, a, b, by_unit):
    """The second moments of clusters by two cells, from a triangle or from the clusters."""
    found = {}
    if joint["rows"] is not None:
        for totals in by_unit.values():
            for x, m in totals.items():
                for y, k in totals.items():
                    found[x, y] = found.get((x, y), 0) + m * k
        return {key: value for key, value in found.items() if value}
    cells = joint_rows(joint, place, a, b)[0]
    values = iter(unpack(joint["pairs"][place]["squares"]))
    for i, x in enumerate(cells):
        for y in cells[: i + 1]:
            found[x, y] = found[y, x] = next(values)
    return {key: value for key, value in found.items() if value}


def assert_close(found, expected, where="data"):
    """Equal up to 1e-9, relative to numbers above 1."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), where
        for key, value in expected.items():
            assert_close(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_close(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float) or isinstance(found, float):
        assert found is not None, (where, found, expected)
        assert expected is not None, (where, found, expected)
        assert isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9), (where, found, expected)
    else:
        assert found == expected, (where, found, expected)


def assert_same_data(found, expected):
    units = expected["facts"]["units"]
    for key in ("format", "version", "kind", "classes", "utilities", "costs", "store", "rows"):
        assert_close(found[key], expected[key], key)
    for key in ("rows", "total_weight", "n_classes", "units", "effective_n", "level", "clusters"):
        assert_close(found["facts"][key], expected["facts"][key], key)
    for one, other in zip(found["classifiers"], expected["classifiers"], strict=True):
        assert set(one) == set(other)
        assert_close(plain_classifier(one, units), plain_classifier(other, units), other["name"])
    assert_close(
        {str(k): v for k, v in joint_counts(found["joint"], units).items()},
        {str(k): v for k, v in joint_counts(expected["joint"], units).items()},
        "joint",
    )


# -- tests -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("makers", [("labels", "sets"), ("flags", "proba")])
def test_dropped_files_give_the_data_of_a_comparison(reader, tmp_path, makers, units):
    paths = make_files(tmp_path, makers, UNITS[units], seed=len(units))
    found = read(reader, {path.name: path.read_bytes() for path in paths})["data"]
    assert_same_data(found, comparison_in_python(paths))


@pytest.mark.parametrize("units", ["rows", "weights", "clusters"])
def test_four_files_in_different_orders_are_matched_by_id(reader, tmp_path, units):
    paths = make_files(tmp_path, MAKERS, UNITS[units], seed=3, ids=True, group=False)
    found = read(reader, {path.name: path.read_bytes() for path in paths})["data"]
    expected = comparison_in_python(paths)
    assert found["title"] == expected["title"]
    assert_same_data(found, expected)


def test_one_file_gives_an_evaluation(reader, tmp_path):
    paths = make_files(tmp_path, ("sets", "labels"), UNITS["rows"])
    found = read(reader, {paths[0].name: paths[0].read_bytes()})["data"]
    expected = comparison_in_python(paths)
    assert found["kind"] == "evaluation"
    assert found["joint"] is None
    units = expected["facts"]["units"]
    first = plain_classifier(expected["classifiers"][0], units)
    assert_close(plain_classifier(found["classifiers"][0], units), first)


def test_probabilities_printed_with_few_digits_are_divided_by_their_sum(reader, tmp_path):
    rng = np.random.default_rng(5)
    y = truths(400, rng)
    for place, digits in enumerate((3, 3)):
        write(tmp_path / f"p{place}.csv", {"y_true": list(y), **proba_file(y, rng, digits)})
    paths = [tmp_path / "p0.csv", tmp_path / "p1.csv"]
    found = read(reader, {path.name: path.read_bytes() for path in paths})["data"]
    assert_same_data(found, comparison_in_python(paths))


def test_a_certain_error_has_an_infinite_loss_which_is_null(reader):
    text = "y_true,p:a,p:b\na,1,0\nb,1,0\nb,0.2,0.8\n"
    measures = read(reader, {"p.csv": text})["data"]["classifiers"][0]["probabilities"]["measures"]
    assert measures["log_loss"] == {
        "value": None,
        "standard_error": None,
        "lower": None,
        "upper": None,
    }
    assert measures["accuracy"]["value"] == pytest.approx(2 / 3)


def test_inputs_are_named_with_their_hash_and_size(reader):
    import hashlib

    text = b"y_true,y_pred\na,a\nb,a\n"
    facts = read(reader, {"f.csv": text}, version="9.9")["data"]["facts"]
    expected = {"name": "f.csv", "sha256": hashlib.sha256(text).hexdigest(), "bytes": len(text)}
    assert facts["versions"] == {"wager": "9.9"}
    assert facts["inputs"] in (
        [expected],
        [expected | {"sha256": None}],
    )  # about:blank is not secure
