"""The demonstration: its numbers come from its tallies, its words from its numbers."""

import pytest

from wager.experiments import run_demo
from wager.experiments._demo import PLAIN


@pytest.fixture(scope="module")
def demo():
    return run_demo(n_folds=3)


def test_every_row_is_predicted_once_by_every_classifier(demo):
    assert {tally.n for tally in demo.tallies.values()} == {1797}
    for name, paired in demo.paired.items():
        assert paired.a == demo.tallies[name]
        assert paired.b == demo.tallies[PLAIN]


def test_the_plain_classifier_always_names_one_class(demo):
    rows = {name: single for name, single, *_ in demo.rows()}
    assert rows[PLAIN] == 1.0
    assert all(single < 1 for name, single in rows.items() if name != PLAIN)


def test_the_paragraph_speaks_of_every_classifier(demo):
    said = demo.paragraph().lower()
    assert "nan" not in said.replace("naive", "").split()
    for name in demo.tallies:
        assert name.lower() in said


def test_progress_reaches_the_end():
    told = []
    run_demo(n_folds=2, progress=told.append)
    assert told == [0.5, 1.0]
