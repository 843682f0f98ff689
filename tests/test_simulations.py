"""The simulations of coverage and error rates run, and their tables are on the page."""

import csv
from importlib import import_module
from pathlib import Path

import pytest
from simulations.__main__ import OUT, TOPICS, broken
from simulations.intervals import LAWS
from simulations.page import fill, summary

PAGE = OUT.parent.parent / "certainty.md"
QUICK = [topic for topic in TOPICS if topic != "partitions"]  # its population takes 15 seconds
# fewer laws and shorter streams, where two replications still take seconds
SMALLER = {
    "intervals": {"LAWS": {"mostly pairs": LAWS["mostly pairs"]}},
    "monitor": {"ROWS": 1000, "AFTER": 1000, "CHANGES": (0, 100)},
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("topic", "size"),
    [
        *((topic, SMALLER.get(topic, {})) for topic in QUICK),
    ],
    ids=lambda given: given if isinstance(given, str) else "smaller" if given else "",
)
@pytest.mark.filterwarnings("ignore:divide by zero")  # no spread in two replications
def test_a_simulation_gives_the_same_rows_for_the_same_seed(topic, size, monkeypatch):
    module = import_module(f"simulations.{topic}")
    for name, value in size.items():
        monkeypatch.setattr(module, name, value)
    rows = module.table(2, module.SEED)
    assert rows
    for row in rows:
        assert {"what", "n", "value", "replications", "bound"} <= set(row)
    again = module.table(2, module.SEED)
    assert [row["value"] for row in rows] == pytest.approx([r["value"] for r in again], nan_ok=True)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_stored_table_keeps_every_bound(topic):
    with (OUT / f"{topic}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert [row for row in rows if broken(row)] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_the_page_shows_the_stored_table(topic):
    assert summary(OUT / f"{topic}.csv") in PAGE.read_text(encoding="utf-8")


def test_tables_are_written_between_their_comments(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- table: coins -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    (tmp_path / "coins.csv").write_text(
        "what,n,value,bound\nheads,10,0.9,>= 0.8\nheads,10,0.8,>= 0.8\n", encoding="utf-8"
    )
    fill(page, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "| heads | 10 | 2 | 0.800 | 0.850 | 0.900 | at least 0.8 |" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text


def test_a_bound_is_broken_only_by_its_value():
    assert broken({"value": 0.91, "bound": ">= 0.92"})
    assert not broken({"value": 0.92, "bound": ">= 0.92"})
    assert broken({"value": 0.07, "bound": "<= 0.06"})
    assert not broken({"value": 0.07, "bound": ""})
