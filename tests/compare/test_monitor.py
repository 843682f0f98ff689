"""Watching one classifier: tests of drift that are valid at all times, and tallies of windows."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from simulations.monitor import alert_rows

from wager.compare import DriftTest, Monitor
from wager.compare._betting import CAPITALS, FRACTIONS, Bets
from wager.rewards import Tally, get_utility
from wager.rewards.elicit import interview

outcomes = st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=300)


def arrays(rows):
    size = np.array([k for k, _ in rows], dtype=int)
    return size, np.array([h and k > 0 for k, h in rows], dtype=bool)


def slow_e_value(values, target, starts=100):
    """The mixture over starting points, each of which bets from its own row on."""
    total = 0.0
    n = len(values)
    last = (n - 1) // starts
    for j in range(last + 1):
        weight = 0.5 if j == 0 else 0.5 / (j * (j + 1))
        for f, share in zip(FRACTIONS, CAPITALS, strict=True):
            capital = 1.0
            for x in values[j * starts :]:
                capital *= 1 - f + f * (1 - x) / (1 - target)
            total += weight * share * capital
    return total + 0.5 / (last + 1)


@pytest.mark.parametrize("n", [1, 99, 100, 101, 250])
def test_the_e_value_is_that_of_bettors_who_start_at_different_rows(n):
    values = (np.random.default_rng(n).random(n) < 0.9).astype(float)
    test = DriftTest("coverage", 0.9, alpha=1e-12).follow(values)
    assert test.e_value == pytest.approx(slow_e_value(values, 0.9), rel=1e-10)
    assert test.n == n


def test_the_expected_e_value_of_the_next_row_is_the_present_one():
    """Without drift the e-value is a martingale: fresh money included."""
    rng = np.random.default_rng(0)
    for n in (0, 57, 100, 199):
        test = DriftTest("u65", 0.795, alpha=1e-9).follow(rng.choice([0, 0.65, 1], n))
        after = [test.follow(np.array([x])).e_value for x in (0.0, 0.65, 1.0)]
        assert np.dot(after, [0.1, 0.3, 0.6]) == pytest.approx(test.e_value)


def test_the_simulation_is_that_of_the_test():
    draws = np.random.default_rng(4).random((500, 3))
    values = (draws >= 0.3).astype(float)  # misses are 0

    for stream in range(3):
        rows = iter(draws[:, [stream]])
        given = SimpleNamespace(random=lambda n, rows=rows: next(rows))
        found = alert_rows(given, np.array([0.0, 1.0]), [(500, (0.3, 0.7))], np.array([0.9]), 0.05)
        test = DriftTest("coverage", 0.9).follow(values[:, stream])
        assert found.tolist() == [test.alert_at]


def test_alerts_without_drift_are_rarer_than_alpha_and_drift_is_found():
    rng = np.random.default_rng(1)
    values = np.array([0.0, 1.0])
    calm = alert_rows(rng, values, [(3000, (0.1, 0.9))], np.full(400, 0.9), 0.05)
    # 400 streams: more than 33 alerts have a probability below 0.001 at the level 0.05
    assert (calm <= 3000).sum() <= 33
    drift = alert_rows(
        rng, values, [(1000, (0.1, 0.9)), (1500, (0.3, 0.7))], np.full(100, 0.9), 0.05
    )
    assert np.median(drift) < 1200


# -- pieces ------------------------------------------------------------------------------------


@given(outcomes, st.lists(st.integers(0, 300), max_size=5), st.integers(1, 60))
@example([(1, True)] * 12, [4], 5)  # the second piece begins within a window and ends in another
def test_pieces_give_the_state_of_the_whole_to_the_last_bit(rows, cuts, window):
    size, hit = arrays(rows)
    start = Monitor.start(coverage=0.6, mean_utility=0.5, side="both", window=window)
    whole = start.update_outcomes(size, hit)
    parts = start
    for piece in np.split(np.arange(len(size)), sorted(min(c, len(size)) for c in cuts)):
        parts = parts.update_outcomes(size[piece], hit[piece])
        parts = Monitor.from_json(parts.to_json())
    assert parts.to_json() == whole.to_json()


@given(outcomes, st.sampled_from([0.5, 0.9]), st.sampled_from([0.05, 1e-6]))
def test_blocks_of_rows_give_the_bits_of_single_rows(rows, target, alpha):
    """Capitals that are multiplied row after row, as the definition says."""
    _, hit = arrays(rows)
    test = DriftTest("coverage", target, alpha=alpha)
    table = Bets(0.0, 1.0, up=False).factors(np.array([0.0, 1.0]), target).T
    capital, n, alert = np.zeros(len(FRACTIONS)), 0, None
    for value in hit.astype(int):
        j = n // 100
        if n % 100 == 0:
            capital = capital + (0.5 if j == 0 else 0.5 / (j * (j + 1))) * CAPITALS
        capital = capital * table[value]
        n += 1
        if capital.sum() + 0.5 / (j + 1) >= 1 / alpha:
            alert = n
            break
    found = test.follow(hit.astype(float))
    assert (found.n, found.alert_at, found.capital) == (n, alert, tuple(capital.tolist()))


def test_a_long_stream_agrees_with_an_exact_recomputation():
    from hardening.monitor import main

    said = main(20_000)
    assert "counts exact" in said
    assert "drift found" in said


@given(outcomes, st.integers(1, 40))
def test_windows_are_the_tallies_of_their_rows(rows, window):
    size, hit = arrays(rows)
    found = Monitor.start(coverage=0.9, window=window).update_outcomes(size, hit)
    assert found.rows == len(size)
    assert len(found.windows) <= 20
    for part in found.windows:
        assert part.start % window == 0
        mine = slice(part.start, part.start + window)
        assert part.n == len(size[mine])
        assert part.tally.score("coverage").value == pytest.approx(hit[mine].mean())
        assert sum(h for *_, h in part.cells) == hit[mine].sum()


def test_the_state_does_not_grow():
    monitor = Monitor.start(coverage=0.9, mean_utility=0.5, window=10)
    lengths = []
    for _ in range(6):
        monitor = monitor.update_outcomes(np.ones(1000, dtype=int), np.ones(1000, dtype=bool))
        lengths.append(len(monitor.to_json()))
    assert max(lengths[1:]) - min(lengths[1:]) < 200  # numbers have more or fewer digits


# -- targets -----------------------------------------------------------------------------------


def test_a_reference_gives_bounds_that_allow_for_its_uncertainty():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 500)
    sets = np.where(rng.random(500) < 0.9, y, 1 - y)
    tally = Tally.of(y, sets)
    found = Monitor.start(reference=tally, alpha=0.08)
    assert [t.measure for t in found.tests] == ["coverage", "u65"]
    assert [t.alpha for t in found.tests] == [0.02, 0.02]
    assert found.tests[0].target == tally.score("coverage").interval(0.96)[0]
    assert found.tests[1].target == tally.score("u65").interval(0.96)[0]
    both = Monitor.start(reference=tally, alpha=0.08, side="both")
    assert [(t.rise, t.alpha) for t in both.tests] == [(False, 0.01), (True, 0.01)] * 2
    assert both.tests[0].target < tally.score("coverage").value < both.tests[1].target


def test_a_promise_is_tested_as_it_is():
    (test,) = Monitor.start(coverage=0.95, alpha=0.01).tests
    assert (test.target, test.alpha, test.rise) == (0.95, 0.01, False)


def test_alerts_stay_and_are_said_first():
    monitor = Monitor.start(coverage=0.9, mean_utility=0.2)
    monitor = monitor.update([0] * 80, [[1]] * 30 + [[0]] * 50)
    (alert,) = [t for t in monitor.alerts if t.measure == "coverage"]
    assert monitor.sentences()[0].startswith("alert: ")
    later = monitor.update([0] * 500, [[0]] * 500)
    assert alert in later.alerts
    assert later.rows == 580
    assert f"(found at row {alert.alert_at}, " in alert.sentence()


def test_a_rise_is_found_only_if_it_is_looked_for():
    rows = [0] * 300, [[0]] * 300
    assert not Monitor.start(coverage=0.7).update(*rows).alerts
    (alert,) = Monitor.start(coverage=0.7, side="both").update(*rows).alerts
    assert alert.rise
    assert "coverage is above 0.7000" in alert.sentence()


def test_the_utility_of_a_file_is_kept_by_its_path(tmp_path):
    from wager.rewards import write_utility

    path = tmp_path / "mine.toml"
    write_utility(get_utility("u80"), path)
    monitor = Monitor.start(mean_utility=0.7, utility=str(path)).update([0, 1], [[0, 1], [1]])
    again = Monitor.from_json(monitor.to_json())
    assert again.table() == monitor.table()
    assert again.table()[1][-1][6] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, r"nothing to compare with: give a reference \(--reference\), a coverage"),
        ({"coverage": 1.0}, "the target of coverage must lie between 0 and 1, got 1"),
        ({"mean_utility": -0.5}, "the target of u65 must lie between 0 and 1, got -0.5"),
        (
            {"coverage": 0.9, "mean_utility": 0.8, "reference": Tally.of(["a"], ["a"])},
            "a reference has no effect beside a coverage and a mean utility",
        ),
        ({"coverage": 0.9, "alpha": 2}, "alpha must lie between 0 and 1, got 2"),
        ({"coverage": 0.9, "window": 0}, "window must be at least 1, got 0"),
        ({"coverage": 0.9, "side": "up"}, "side must be 'drop' or 'both', got 'up'"),
    ],
)
def test_wrong_settings_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        Monitor.start(**arguments)


@pytest.mark.parametrize("text", ["", "[]", '{"format": "wager monitor"}', '{"n": 1}'])
def test_a_damaged_state_is_refused(text):
    with pytest.raises(ValueError, match="this is not a saved monitor"):
        Monitor.from_json(text)


def test_a_state_with_damaged_numbers_is_refused():
    data = json.loads(Monitor.start(coverage=0.9).to_json())
    data["tests"][0]["capital"] = [1.0]
    with pytest.raises(ValueError, match="the test of coverage is damaged"):
        Monitor.from_json(json.dumps(data))


HOSTILE = (
    None, True, "x", -1, 0, 1.5, 10**9, 10**18, 10**30, float("nan"), float("inf"), 1e308, [], {},
    [[1, 2, 3]] * 3, "1" * 5000,
)  # fmt: skip


def places(value, path=()):
    """Every place in plain data; of long lists the first two."""
    if path:
        yield path
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(min(len(value), 2))
        for key in keys:
            yield from places(value[key], (*path, key))


def changed(data, path, value):
    """The data with another value at a place."""
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = changed(data[path[0]], path[1:], value)
    return copy


def test_a_hostile_state_is_refused_or_is_as_good_as_any():
    """A state of 600 bytes could take 7 GB, and about one place in ten a raw error."""
    rows = [0, 1, 2] * 20, [[0, 1], [1], [0]] * 20
    start = Monitor.start(coverage=0.5, mean_utility=0.5, window=25)
    data = start.update(*rows).to_dict()
    refused = []
    for path in places(data):
        for value in HOSTILE:
            try:
                monitor = Monitor.from_dict(changed(data, path, value))
            except ValueError as problem:
                refused.append(str(problem))
            else:
                monitor = monitor.update(*rows)
                assert monitor.sentences()
                assert monitor.table()[1]
                assert all(len(part.tally.table) <= 1 << 23 for part in monitor.windows)
    assert len(refused) > 400
    assert all("this is not a saved monitor" in text for text in refused)


@pytest.mark.parametrize("text", ["[" * 10**5, '{"a":' * 10**5, '{"format": "wager monitor", 1}'])
def test_deep_and_broken_texts_are_refused(text):
    with pytest.raises(ValueError, match="this is not a saved monitor"):
        Monitor.from_json(text)


def test_a_monitor_without_rows_shows_no_table():
    monitor = Monitor.start(coverage=0.9)
    assert "coverage" not in repr(monitor)
    assert "no rows yet" in repr(monitor)
    assert "mean size" in repr(monitor.update([0, 1], [0, 1]))


def test_empty_windows_are_not_shown():
    monitor = Monitor.start(coverage=0.9, window=2).update([0, 1], [0, 1])
    assert Monitor.start(coverage=0.9).table()[1] == []
    _, rows = monitor.table()
    assert [row[:2] for row in rows] == [["1-2", 2], ["all", 2]]


def u65(x):
    return x**2


@pytest.mark.parametrize("utility", [u65, lambda x: x**2])
def test_a_utility_that_its_name_does_not_give_cannot_be_stored(utility):
    with pytest.raises(ValueError, match="cannot be stored: pass its name, or write it to a file"):
        Monitor.start(coverage=0.9, utility=utility)


@pytest.mark.parametrize("count", [2.5, -1, True, "2", 10**30])
def test_counts_of_a_saved_monitor_are_whole_numbers(count):
    saved = Monitor.start(coverage=0.9).to_dict()
    saved["total"] = [[1, 0, count]]
    with pytest.raises(ValueError):
        Monitor.from_dict(saved)


def test_a_table_of_three_sizes_can_be_monitored(tmp_path):
    path = tmp_path / "mine.toml"
    interview(lambda question: "set" if question.chance < 0.7 else "chance", 3).write(path)
    start = Monitor.start(mean_utility=0.5, utility=path)
    monitor = start.update([0, 1, 2], [[0], [0, 1], [1]], classes=[0, 1, 2])
    assert Monitor.from_json(monitor.to_json()) == monitor
    assert monitor.table()[1][-1][6] == pytest.approx((1 + get_utility(path).of_size(2)) / 3)
    with pytest.raises(ValueError, match="up to 3 classes but a prediction has 4"):
        monitor.update([0], [[0, 1, 2, 3]], classes=range(4))


@pytest.mark.parametrize(
    ("size", "hit", "words"),
    [
        ([2, 1, 1], [True], r"one value per row, got the shapes \(3,\) and \(1,\)"),
        ([2], [True, False, True], "one value per row"),
        ([0], [True], "row 0 has an empty set that contains the true class"),
        ([-1, 1], [True, False], "size must be whole numbers from 0"),
        ([1, 1.5], [True, False], "size must be whole numbers from 0"),
        (np.ma.array([1, 2], mask=[False, True]), [True, True], "size must be"),
        ([1, 1], [np.nan, 1], "hit must be true or false"),
        ([1, 1], [0.5, 1], "hit must be true or false"),
        ([1, 1], ["False", "True"], "hit must be numbers"),
    ],
)
def test_outcomes_that_no_rows_have_are_refused(size, hit, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Monitor.start(coverage=0.9).update_outcomes(size, hit)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, -0.5], "row 1: a value of -0.5 lies outside the bounds 0 to 1"),
        ([2.0], "row 0: a value of 2 lies outside"),
        ([1.0, np.nan], "row 1: a value of nan lies outside"),
        (np.ma.array([0.0, 1.0], mask=[False, True]), "row 1: a value of nan lies outside"),
        ([[1.0, 0.0], [0.0, 1.0]], r"one per row, got shape \(2, 2\)"),
    ],
)
def test_values_that_a_bettor_cannot_bet_on_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        DriftTest("coverage", 0.9).follow(values)
