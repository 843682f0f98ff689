"""The demonstration: its numbers come from its tallies, its words from its numbers."""

import numpy as np
import pytest

from wager.compare import break_even
from wager.experiments import run_demo
from wager.experiments._demo import PLAIN
from wager.rewards import PairedTally


@pytest.fixture(scope="module")
def demo():
    return run_demo(n_folds=3)


def test_every_row_is_predicted_once_by_every_classifier(demo):
    assert {tally.n for tally in demo.tallies.values()} == {1797}
    for name, paired in demo.paired.items():
        assert paired.a == demo.tallies[name]
        assert paired.b == demo.tallies[PLAIN]


@pytest.mark.long
def test_errors_allow_for_training_sets_that_overlap(demo):
    assert "enlarged for random and overlapping training sets" in demo.assumption
    for paired in demo.paired.values():
        rows = PairedTally(10, paired.outcomes, paired.counts)  # as if all rows were independent
        ratio = paired.difference("u50").standard_error / rows.difference("u50").standard_error
        assert ratio == pytest.approx(np.sqrt(2), rel=1e-2)


def test_sentences_hold_together_for_all_pairs(demo):
    for (name, plain), even in demo.break_evens.items():
        low, high = break_even(demo.paired[name], names=(name, plain)).interval
        assert even.interval[0] <= low + 1e-6
        assert even.interval[1] >= high - 1e-6


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
