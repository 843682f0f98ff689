"""The bench fits exponents, judges targets, keeps results and shows all of them on its page."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from bench.__main__ import store, unexplained
from bench.measure import Curve, Row, as_result, growth, python, race
from bench.page import fill, ratio_table

FACTS = {
    "date": "2026-01-02",
    "cores": 2,
    "processor": "some",
    "memory": "1 kB",
    "system": "Linux",
    "load before": 0.0,
    "python": "3.11",
    "versions": {"numpy": "2.0"},
}


def record(module: str, result: Row | Curve) -> dict:
    kind = "curves" if isinstance(result, Curve) else "rows"
    return json.loads(json.dumps({"kind": kind, "module": module} | asdict(result)))


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_exponent_of_an_exact_power(power):
    sizes = (10, 30, 1000)
    curve = Curve("a", "rows", sizes, tuple(3.0 * n**power for n in sizes), 1.0)
    assert curve.exponent == pytest.approx(power, abs=1e-12)
    assert curve.at(500) == pytest.approx(3.0 * 500**power)
    assert curve.met == (power <= 1)


def test_results_survive_being_stored(tmp_path):
    row, curve = Row("a", 1.0, 2.0, "b", 0.4), Curve("c", "rows", (1, 2), (0.1, 0.2), 1.0)
    path = tmp_path / "bench.json"
    store(FACTS, [record("one", row), record("two", curve)], path)
    newer = Row("a", 3.0, 2.0, "b", 2.0)
    store(FACTS, [record("one", newer)], path)
    kept = [as_result(found) for found in json.loads(path.read_text())["results"]]
    assert kept == [newer, curve]


def test_a_miss_needs_an_explanation():
    missed = Row("a", 1.0, 2.0, "b", 0.4)
    explained = Row("a", 1.0, 2.0, "b", 0.4, note="the disk is the limit")
    assert unexplained(record("one", missed))
    assert not unexplained(record("one", explained))
    assert not unexplained(record("one", Row("a", 1.0, 2.0, "b")))
    table = ratio_table([("one", explained)])
    assert "missed (1)" in table
    assert "1. a: the disk is the limit" in table


def test_the_page_shows_every_stored_result(tmp_path):
    path, page = tmp_path / "bench.json", tmp_path / "page.md"
    results = [Row("a | b", 1.0, 2.0, "floor", 1.0), Curve("c", "rows", (1, 2), (0.1, 0.2), 1.0)]
    store(FACTS, [record("one", result) for result in results], path)
    page.write_text(
        "text\n"
        + "".join(f"<!-- {n} -->\nold\n<!-- end -->\n" for n in ("machine", "ratios", "growth"))
    )
    fill(page, path)
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("text\n")
    assert "| one | a \\| b | 1 s | 2 s | floor | 0.5 | 1 | met |" in text
    assert "| c | rows | 1 in 100 ms | 2 in 200 ms | 1.00 | 1 | met |" in text
    assert (tmp_path / "growth.png").stat().st_size > 1000


def test_measuring():
    row = race("sum", lambda: sum(range(1000)), lambda: sum(range(1000)), "itself", repeat=2)
    assert row.ours > 0
    assert row.met is None
    calls = []
    curve = growth("calls", "n", lambda n: lambda: calls.append(n), (1, 2), 1.0, repeat=1)
    assert calls == [1, 1, 2]
    assert curve.sizes == (1, 2)


def test_a_process_is_measured_from_outside():
    spent = python("x = bytearray(200_000_000); print('here')")
    assert spent.printed.strip() == "here"
    assert 150 < spent.megabytes < 400
    assert spent.seconds > 0
