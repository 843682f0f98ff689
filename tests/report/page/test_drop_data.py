"""The data that the page counts from dropped files are those that Python builds.

Lists are unpacked and joint counts are brought into one form before they are compared, because
there are several ways to write the same counts.
"""

import shlex
from itertools import combinations
from math import isclose

import numpy as np
import pytest

from tests.report.page.dropped import read, with_scripts
from wager.report.page import page
from wager.report.page._packed import unpack
from wager.report.page._reproduce import reproduction

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
        "tally": one["tally"] | {"squares": None},
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
    """All keys; the version and the lines that reproduce a page are tested apart."""
    assert set(found) == set(expected)
    assert set(found["facts"]) == set(expected["facts"])
    units = expected["facts"]["units"]
    apart = {"facts", "classifiers", "joint", "reproduce"}
    for key in set(expected) - apart:
        assert_close(found[key], expected[key], key)
    for key in set(expected["facts"]) - {"versions", "inputs"}:
        assert_close(found["facts"][key], expected["facts"][key], key)
    for one, other in zip(found["facts"]["inputs"], expected["facts"]["inputs"], strict=True):
        # about:blank is not a secure page, in which there are no hashes
        assert one in (other, other | {"sha256": None})
    for one, other in zip(found["classifiers"], expected["classifiers"], strict=True):
        assert set(one) == set(other)
        assert one["kind"] == other["kind"]
        assert_close(plain_classifier(one, units), plain_classifier(other, units), other["name"])
    if expected["joint"] is None:
        assert found["joint"] is None
        return
    assert_close(
        {str(k): v for k, v in joint_counts(found["joint"], units).items()},
        {str(k): v for k, v in joint_counts(expected["joint"], units).items()},
        "joint",
    )


# -- tests -----------------------------------------------------------------------------------------


def dropped(reader, paths, **options):
    return read(reader, {path.name: path.read_bytes() for path in paths}, **options)["data"]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("makers", [("labels", "sets"), ("flags", "proba"), ("sets",), ("proba",)])
def test_dropped_files_give_the_data_of_wager_report(reader, tmp_path, makers, units):
    paths = make_files(tmp_path, makers, UNITS[units], seed=len(units))
    assert_same_data(dropped(reader, paths), page(paths).data)


@pytest.mark.parametrize("units", ["rows", "weights", "clusters"])
def test_four_files_in_different_orders_are_matched_by_id(reader, tmp_path, units):
    paths = make_files(tmp_path, MAKERS, UNITS[units], seed=3, ids=True, group=False)
    assert_same_data(dropped(reader, paths), page(paths).data)


@pytest.mark.parametrize("n", [30, 700, 5000])
@pytest.mark.parametrize("makers", [("labels", "flags"), ("sets", "labels")])
def test_the_confidence_sequence_of_two_files(reader, tmp_path, makers, n):
    """Also where the bounds exclude 0 in between, and with more rows than points."""
    paths = make_files(tmp_path, makers, {}, n=n, seed=n, group=False)
    found, expected = dropped(reader, paths), page(paths).data
    (one,), (other,) = found["sequences"], expected["sequences"]
    assert_close(one, other, "sequence")


@pytest.mark.parametrize("forms", ["y_pred,set", "y_pred,p:a,p:b", "y_pred,in:a,in:b,p:a,p:b"])
def test_a_file_in_several_forms_is_read_by_its_sets(reader, tmp_path, forms):
    cells = {"y_pred": "ab", "set": ["a|b", "b"], "in:a": "10", "in:b": "11", "p:a": [0.9, 0.2]}
    cells["p:b"] = [0.1, 0.8]
    columns = {"y_true": "ab", **{name: cells[name] for name in forms.split(",")}}
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in paths:
        write(path, columns)
    for some in (paths, paths[:1]):
        assert_same_data(dropped(reader, some), page(some).data)


def test_groups_of_one_file_serve_for_all(reader, tmp_path):
    paths = make_files(tmp_path, ("labels", "sets"), {}, seed=9)
    lines = paths[0].read_text().splitlines()
    paths[0].write_text("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
    assert_same_data(dropped(reader, paths), page(paths).data)


@pytest.mark.parametrize("column", ["weight", "count", "cluster"])
@pytest.mark.parametrize("ids", [False, True])
def test_units_of_one_file_serve_for_the_probabilities_of_another(reader, tmp_path, column, ids):
    values = {name: make for units in UNITS.values() for name, make in units.items()}
    paths = make_files(
        tmp_path, ("labels", "proba"), {column: values[column]}, seed=4, ids=ids, group=False
    )
    lines = [line.split(",") for line in paths[1].read_text().splitlines()]
    place = lines[0].index(column)
    without = [",".join(cells[:place] + cells[place + 1 :]) for cells in lines]
    paths[1].write_text("\n".join(without) + "\n")
    assert_same_data(dropped(reader, paths), page(paths).data)


@pytest.mark.parametrize("ids", [False, True])
def test_rows_that_another_file_lacks_are_left_out_of_probabilities(reader, tmp_path, ids):
    paths = make_files(tmp_path, ("labels", "proba"), {}, seed=5, ids=ids, group=False)
    lines = [line.split(",") for line in paths[0].read_text().splitlines()]
    for cells in lines[3:60:7]:
        cells[lines[0].index("y_pred")] = "NA"
    paths[0].write_text("\n".join(map(",".join, lines)) + "\n")
    assert_same_data(dropped(reader, paths, drop=True), page(paths, na="drop").data)


def test_many_groups_are_left_out_with_a_sentence(reader, tmp_path):
    rng = np.random.default_rng(1)
    y = truths(700, rng)
    columns = {"y_true": list(y), **labels_file(y, rng), "group": [f"g{i}" for i in range(700)]}
    write(tmp_path / "many.csv", columns)
    found = dropped(reader, [tmp_path / "many.csv"])
    assert found["classifiers"][0]["groups"] is None
    assert len(found["left_out"]) == 1
    assert_same_data(found, page(tmp_path / "many.csv").data)


def test_odd_files_get_the_warnings_of_python(reader, tmp_path):
    texts = {
        "one.csv": "y_true,y_pred\na,a\na,b\na,c\n",
        "two.csv": "y_true,set\na,a|b|c\na,c|b|a\na,b|a|c\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in texts]
    for some in (paths, paths[:1], paths[1:]):
        expected = page(some).data["facts"]["warnings"]
        assert expected
        assert dropped(reader, some)["facts"]["warnings"] == expected


@pytest.mark.parametrize("drop", [False, True])
def test_the_lines_that_make_the_same_page(reader, drop):
    text = "y_true,y_pred\na,a\nb,a\n"
    names = ["plain.csv", "it's $HOME.csv", "ü-1.csv", 'a"b.csv', "-two.csv"]
    found = read(reader, dict.fromkeys(names, text), drop=drop)["data"]["reproduce"]
    expected = reproduction(names, "report.html", {"na": "drop"} if drop else {})
    assert found == expected
    assert "./-two.csv" in shlex.split(found["shell"][0])  # not an option


def test_probabilities_printed_with_few_digits_are_divided_by_their_sum(reader, tmp_path):
    rng = np.random.default_rng(5)
    y = truths(400, rng)
    for place, digits in enumerate((3, 3)):
        write(tmp_path / f"p{place}.csv", {"y_true": list(y), **proba_file(y, rng, digits)})
    paths = [tmp_path / "p0.csv", tmp_path / "p1.csv"]
    assert_same_data(dropped(reader, paths), page(paths).data)


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


def test_bounds_that_exclude_0_closely_do_not_look_like_0(reader, tmp_path):
    n = 100_000
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path, n_wrong in zip(paths, [0, 12], strict=True):
        wrong = set(range(50, 50 + 8000 * n_wrong, 8000))
        lines = [f"a,{'b' if i in wrong else 'a'}" for i in range(n)]
        path.write_text("\n".join(["y_true,y_pred", *lines, "b,b", ""]))
    (one,), (other,) = dropped(reader, paths)["sequences"], page(paths).data["sequences"]
    assert one["verdict"] == other["verdict"]
    assert "excludes 0" in one["verdict"]
    assert "+0.0000" not in one["verdict"]
