"""Probability classifiers on the same rows: numbers of the paired tests, in arrays and in files."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.compare import (
    PairedProbabilities,
    _join_by_id,
    _probability_files,
    compare_probabilities,
    compare_probability_files,
    paired_probabilities,
)
from wager.compare._probability_advice import ProbabilityResults, advise
from wager.metrics import evaluate_probabilities
from wager.predictions import write_predictions

CLASSES = np.array(["a", "b", "c"])
SCORES = ("information_reward", "log_loss", "brier", "accuracy")
DECIDING = SCORES[:3]


def draw(n, rng, shrink=(1.0, 0.5, 0.5)):
    """True labels, and probabilities that are the true ones, shrunk or noisy."""
    truth = rng.integers(0, 3, n)
    scores = 1.5 * np.eye(3)[truth] + rng.normal(size=(n, 3))
    tables = {}
    for i, factor in enumerate(shrink):
        powers = np.exp(factor * (scores + (0.3 * rng.normal(size=(n, 3)) if i == 2 else 0)))
        tables["xyz"[i]] = powers / powers.sum(axis=1, keepdims=True)
    return CLASSES[truth], tables


@pytest.fixture
def data():
    return draw(400, np.random.default_rng(0))


# Numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [None, 1e-4])
def test_scores_and_differences_are_those_of_the_single_functions(data, clip):
    y, tables = data
    prior, groups = [0.5, 0.3, 0.2], np.arange(400) // 4
    weights = np.random.default_rng(1).random(400)
    options = {"sample_weight": weights, "groups": groups, "classes": CLASSES, "clip": clip}
    found = compare_probabilities(y, tables, prior, **options)
    n_statements = 3 * len(SCORES)
    for name, proba in tables.items():
        alone = evaluate_probabilities(y, proba, prior, **options).estimates
        for score in SCORES:
            assert found.score(name, score) == alone[score]
    for a, b in found.pairs:
        for score in SCORES:
            test = paired_probabilities(
                y, tables[a], tables[b], score, prior, names=(a, b), alpha=0.05 / n_statements,
                **options,
            )  # fmt: skip
            difference = found.difference(a, b, score)
            assert difference.effect == test.effect
            assert difference.interval == pytest.approx(test.interval)
            assert difference.p == pytest.approx(min(1, n_statements * test.p))
            other = found.difference(b, a, score)
            assert other.effect == -difference.effect
            assert other.interval == pytest.approx(
                (-difference.interval[1], -difference.interval[0])
            )


@given(st.integers(0, 10_000), st.integers(20, 120))
@fewer(8)
def test_one_is_recommended_only_if_every_interval_favours_it(seed, n):
    y, tables = draw(n, np.random.default_rng(seed), shrink=(1.0, 0.1, -0.3))
    found = compare_probabilities(y, tables, classes=CLASSES)
    for name in found.names:
        ahead = []
        for other in set(found.names) - {name}:
            for score in DECIDING:
                low, high = found.difference(name, other, score).interval
                ahead.append(low > 0 if score == "information_reward" else high < 0)
        assert (found.recommended == name) == all(ahead)


def test_equal_classifiers_are_rarely_told_apart():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(100):
        y, tables = draw(80, rng, shrink=(1.0,))
        blurred = {
            name: np.exp(np.log(tables["x"]) + 0.4 * rng.normal(size=(80, 3))) for name in "ab"
        }
        proba = {name: t / t.sum(axis=1, keepdims=True) for name, t in blurred.items()}
        found = compare_probabilities(y, proba, classes=CLASSES)
        wrong += any(found.difference("a", "b", score).p < 0.05 for score in SCORES)
    assert wrong <= 11  # 5% of 100, and three standard errors


# Words -----------------------------------------------------------------------------------------


def test_a_clear_winner_is_recommended_with_a_caution(data):
    y, tables = data
    found = compare_probabilities(y, tables, classes=CLASSES)
    assert found.recommended == "x"
    assert found.recommendation == (
        "take x: in these rows its information reward, log loss and Brier score are better than "
        "those of y and z"
    )
    assert found.sentences()[-1].startswith("information reward and log loss have no limit: a rare")
    clipped = compare_probabilities(y, tables, classes=CLASSES, clip=1e-6)
    assert clipped.recommendation.startswith("take x: its information reward")
    assert not any("no limit" in sentence for sentence in clipped.sentences())
    text = repr(found)
    assert "relative to the prior 1/3 for each class" in text
    assert max(map(len, text.splitlines())) <= 100


def test_infinite_scores_are_named_and_decide_nothing(data):
    y, tables = data
    certain = np.eye(3)[tables["x"].argmax(axis=1)]
    lost = int((CLASSES[certain.argmax(axis=1)] != y).sum())
    found = compare_probabilities(y, {"soft": tables["x"], "hard": certain}, classes=CLASSES)
    assert found.recommended is None
    assert found.recommendation.startswith(
        "none, because information reward and log loss cannot be compared: pass clip=1e-6"
    )
    assert (
        f"information reward and log loss of hard are infinite, because it is certain and wrong in "
        f"{lost} rows, so that no difference is defined: pass clip=1e-6 (--clip 1e-6)"
    ) in found.sentences()
    _, rows = found.difference_table()
    assert [row[2] == "-" for row in rows] == [True, True, False, False]
    assert [row[4] == "- " for row in rows] == [True, True, False, False]
    assert (
        "the log loss of hard is infinite" in found.difference("soft", "hard", "log_loss").verdict
    )
    assert found.difference("soft", "hard", "brier").p < 0.05
    json.dumps(found.to_dict())
    clipped = compare_probabilities(
        y, {"soft": tables["x"], "hard": certain}, classes=CLASSES, clip=1e-6
    )
    assert clipped.recommended == "soft"


def test_the_same_probabilities_are_not_distinguished(data):
    y, tables = data
    found = compare_probabilities(y, {"a": tables["x"], "b": tables["x"].copy()}, classes=CLASSES)
    assert found.recommended is None
    assert found.recommendation.startswith("a and b score the same in every row")


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        (80, "take a for information reward and log loss, b for Brier score: the scores do not "
             "agree on one of the two"),
        (30, "take b for Brier score; the data do not distinguish a from b by information reward "
             "and log loss"),
    ],
)  # fmt: skip
def test_scores_that_disagree_are_said(lost, words):
    """b is right in most rows, but loses much in a few."""
    y = np.array([0] * 900 + [1] * 100)
    a, b = np.tile([0.7, 0.3], (1000, 1)), np.tile([0.999999, 0.000001], (1000, 1))
    b[900 + lost :] = [0.3, 0.7]
    found = compare_probabilities(y, {"a": a, "b": b})
    assert found.recommended is None
    assert found.recommendation == words


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, p: compare_probabilities(y, {"x": p["x"]}), "at least 2 classifiers, got 1"),
        (lambda y, p: compare_probabilities(y, p, confidence=95), "confidence must lie between 0"),
        (lambda y, p: compare_probabilities(y, p, clip=0.7), "clip must lie strictly between 0"),
        (lambda y, p: compare_probabilities(y, p, [0.5, 0.5]), "prior must have one probability"),
        (
            lambda y, p: compare_probabilities(y, {"x": p["x"], "y": 2 * p["y"]}, classes=CLASSES),
            "every row of y must sum to 1",
        ),
    ],
)
def test_errors_are_one_sentence(data, call, words):
    with pytest.raises(ValueError, match=words):
        call(*data)


# Files -----------------------------------------------------------------------------------------


def write(folder, y, tables, order=None, **columns):
    paths = []
    for i, (name, proba) in enumerate(tables.items()):
        rows = np.arange(len(y)) if order is None or i == 0 else order
        given = {key: np.asarray(values)[rows] for key, values in columns.items()}
        paths.append(folder / f"{name}.parquet")
        write_predictions(paths[-1], y[rows], proba=proba[rows], classes=CLASSES, **given)
    return paths


def assert_same(found, expected):
    plain, known = found.to_dict(), expected.to_dict()
    assert plain.pop("recommendation") == known.pop("recommendation")
    assert json.loads(json.dumps(plain)).keys() == known.keys()
    for name in expected.names:
        for score in SCORES:
            one, other = (d["scores"][name][score] for d in (plain, known))
            assert one["mean"] == pytest.approx(other["mean"], abs=1e-12)
            assert one["interval"] == pytest.approx(other["interval"], abs=1e-9)
    for one, other in zip(plain["pairs"], known["pairs"], strict=True):
        for score in SCORES:
            a, b = one["differences"][score], other["differences"][score]
            assert a["mean"] == pytest.approx(b["mean"], abs=1e-12)
            assert a["interval"] == pytest.approx(b["interval"], abs=1e-9)
            assert a["p"] == pytest.approx(b["p"], abs=1e-9)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("shuffled", [False, True])
def test_files_have_the_numbers_of_the_arrays(data, tmp_path, monkeypatch, clustered, shuffled):
    monkeypatch.setattr(_probability_files, "_ROWS", 37)
    monkeypatch.setattr(_join_by_id, "_PART", 37)
    y, tables = data
    rng = np.random.default_rng(2)
    units = {"weight": rng.random(400), "count": rng.integers(0, 4, 400)}
    given_units = {"sample_weight": units["weight"], "counts": units["count"]}
    if clustered:
        units["cluster"] = rng.integers(0, 50, 400).astype(str)
        given_units["groups"] = units["cluster"]
    order = None
    if shuffled:
        units["id"] = np.arange(400).astype(str)
        order = rng.permutation(400)
    paths = write(tmp_path, y, tables, order, **units)
    found = compare_probability_files(paths, [0.2, 0.3, 0.5], clip=1e-5, confidence=0.9)
    assert_same(
        found,
        compare_probabilities(
            y, tables, [0.2, 0.3, 0.5], classes=CLASSES, clip=1e-5, confidence=0.9, **given_units
        ),
    )


def test_a_prior_of_files_is_matched_by_name(data, tmp_path):
    paths = write(tmp_path, *data)
    expected = compare_probability_files(paths, [0.2, 0.3, 0.5]).prior
    shares = dict(zip(CLASSES[::-1], [0.5, 0.3, 0.2], strict=True))
    for prior in (shares, pd.Series(shares)):
        np.testing.assert_array_equal(compare_probability_files(paths, prior).prior, expected)


def test_files_must_match_and_hold_probabilities(data, tmp_path):
    y, tables = data
    first, second, _ = write(tmp_path, y, tables)
    (shorter,) = write(tmp_path, y[:-1], {"s": tables["x"][:-1]})
    with pytest.raises(ValueError, match=r"x.parquet has 400 rows but .*s.parquet has 399"):
        compare_probability_files([first, shorter])
    (other,) = write(tmp_path, y[::-1], {"o": tables["x"]})
    with pytest.raises(ValueError, match="y_true is"):
        compare_probability_files([first, other])
    write_predictions(tmp_path / "l.csv", y, y_pred=y, classes=CLASSES)
    with pytest.raises(ValueError, match=r"l.csv: the predictions are not probabilities"):
        compare_probability_files([second, tmp_path / "l.csv"])


def test_the_note_lists_the_prior_up_to_eight_classes():
    rng = np.random.default_rng(0)
    for k, ends in ((3, False), (8, False), (9, True)):
        prior = np.arange(1, k + 1) / (k * (k + 1) / 2)
        proba = rng.dirichlet(np.ones(k), 20)
        found = compare_probabilities(
            rng.integers(0, k, 20), {"a": proba, "b": proba[::-1]}, classes=range(k), prior=prior
        )
        shares = ", ".join(f"{label} {prior[label]:.4g}" for label in range(min(k, 8)))
        assert f"relative to the prior {shares}{', ...' if ends else ';'}" in found.note


def test_each_pair_is_named_once_in_the_table_of_differences():
    rng = np.random.default_rng(1)
    y, (a, b) = rng.integers(0, 2, 30), rng.dirichlet(np.ones(2), (2, 30))
    _, rows = compare_probabilities(y, {"a": a, "b": b}, classes=[0, 1]).difference_table()
    assert [row[0] for row in rows] == ["a - b", "", "", ""]
    assert all(" to " in row[3] for row in rows)


def results(**p_values):
    """Results of a and b by score, in which a is better."""
    differences = {
        ("a", "b", score): SimpleNamespace(p=p, effect=-0.1, details={"is_draw": False})
        for score, p in p_values.items()
    }
    infinite = {(name, score): 0 for name in "ab" for score in p_values}
    unbounded = frozenset({"log_loss", "information_reward"})
    return ProbabilityResults("ab", differences, infinite, unbounded, 0.05, tuple(p_values))


def test_scores_without_a_limit_are_named_if_something_is_claimed_about_them():
    claimed = results(log_loss=0.001, brier=0.001).sentences()
    assert claimed[1].startswith("log loss has no limit: a rare large loss")
    both = results(log_loss=0.001, information_reward=0.001, brier=0.5).sentences()
    assert both[1].startswith("log loss and information reward have no limit: ")
    assert len(results(log_loss=0.5, brier=0.001).sentences()) == 1


def test_two_that_are_not_distinguished_need_more_rows():
    advice = advise(results(log_loss=0.5, brier=0.5))
    assert advice == "the data do not distinguish a from b: collect more rows, or take either"


def test_a_pair_is_described_by_each_score_once():
    (said, *_) = results(log_loss=0.001, brier=0.5, accuracy=0.2).sentences()
    assert said == (
        "a and b: a has the better log loss; no significant difference in Brier score and accuracy"
    )


def test_one_infinite_score_is_and_two_are_infinite():
    found = results(log_loss=np.nan, brier=0.001)
    found.infinite["a", "log_loss"] = 3
    assert found.sentences()[1].startswith("log loss of a is infinite, because it is certain and ")
    found.infinite["a", "brier"] = 1
    assert found.sentences()[1].startswith("log loss and Brier score of a are infinite")


def test_the_same_probabilities_are_equal_but_for_rounding():
    rng = np.random.default_rng(3)
    proba = rng.dirichlet([1, 1, 1], size=300)
    again = np.exp(np.log(proba))
    again /= again.sum(axis=1, keepdims=True)
    assert (proba != again).any()
    y = rng.integers(0, 3, 300)
    race = compare_probabilities(y, {"first": proba, "again": again})
    paired = PairedProbabilities.of(y, proba, again)
    for score in ("log_loss", "brier", "information_reward"):
        for found in (
            race.difference("first", "again", score).effect,
            paired.difference(score).value,
        ):
            assert found == 0
        assert race.difference("first", "again", score).p == 1
        assert paired.difference(score).p == 1
    assert race.recommended is None


def test_differences_that_cancel_within_clusters_are_not_called_equal_in_every_row():
    first, second = [[0.8, 0.2], [0.4, 0.6]] * 40, [[0.6, 0.4], [0.2, 0.8]] * 40
    groups = [i // 2 for i in range(80)]
    found = compare_probabilities([0, 1] * 40, {"a": first, "b": second}, groups=groups)
    assert found.recommendation == "a and b score the same in every cluster: take either"
