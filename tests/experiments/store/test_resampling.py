"""Tallies over splits: the unit is a row of the data set, and training sets overlap."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from simulations import cross_validation

from tests.experiments.filled import fill
from wager.compare import break_even
from wager.experiments import Plan, Store
from wager.experiments.run._unit_data import unit_data
from wager.experiments.store import Resampling, SplitRows, pack_numbers
from wager.experiments.store._resampling import ResampledPairedTally, ResampledTally
from wager.experiments.store._unit_result import unpack_numbers, unpack_rows
from wager.rewards import PairedTally, Tally

LEARNERS = {"nbc": "naive-bayes", "ncc": "naive-credal"}
PREPARE = {"discretize": "mdl"}


@pytest.fixture(scope="module")
def plan():
    scheme = {"n_folds": 3, "repeats": 4}
    return Plan(datasets=["wine", "iris"], learners=LEARNERS, scheme=scheme, prepare=PREPARE)


@pytest.fixture(scope="module")
def store(plan, tmp_path_factory):
    return fill(plan, tmp_path_factory.mktemp("store"))


def gaps_by_row(store, plan, dataset, u65):
    """Row by row, the differences in utility on each split that tests the row: the slow way."""
    gaps = {}
    for unit in plan.units():
        if unit.source.name != dataset or unit.label != "ncc":
            continue
        split = unit.split[:2]
        both = []
        for name in ("ncc", "nbc"):
            size, hit = unpack_rows(stored_rows(store, dataset, name, split))
            both.append([u65(k) if h else 0.0 for k, h in zip(size, hit, strict=True)])
        for row, a, b in zip(unit_data(unit).rows, *both, strict=True):
            gaps.setdefault(int(row), []).append(a - b)
    return gaps


def stored_rows(store, dataset, learner, split):
    ((packed,),) = store._read(
        f"SELECT rows FROM results WHERE dataset = '{dataset}' AND learner = '{learner}' "
        f"AND repeat = {split[0]} AND fold = {split[1]}"
    )
    return packed


def test_differences_agree_with_averages_over_the_repeats_of_each_row(store, plan):
    gaps = gaps_by_row(store, plan, "wine", lambda k: 1.6 / k - 0.6 / k**2)
    assert {len(own) for own in gaps.values()} == {4}
    average = np.array([np.mean(own) for own in gaps.values()])
    single = np.concatenate(list(gaps.values()))
    n = len(average)
    paired = store.paired("wine", "ncc", "nbc")
    found = paired.difference("u65")
    assert paired.n == n == 178
    assert found.mean == pytest.approx(average.mean())
    units = n / 2  # half of the variance is that of the training sets
    slow = (average.var() + single.var()) / n * units / (units - 1)
    assert found.standard_error**2 == pytest.approx(slow)


def test_more_repeats_do_not_count_as_more_rows(store):
    """Finding A2: ten repeats had a tenth of the variance."""
    for dataset, n in (("wine", 178), ("iris", 150)):
        paired, pooled = store.paired(dataset, "ncc", "nbc"), sum(store.pairs(dataset, *LEARNERS))
        assert paired.n == store.tally(dataset, "ncc").n == n
        for new, old in (
            (paired.difference("u65"), pooled.difference("u65")),
            (store.tally(dataset, "ncc").estimate("u65"), pooled.b.estimate("u65")),
        ):
            assert np.ptp(new.interval()) > 2 * np.ptp(old.interval())  # about sqrt(4 * 2) times


def test_the_mean_is_that_of_all_outcomes(store):
    for dataset in store.datasets:
        tally, parts = store.tally(dataset, "ncc"), store.tallies(dataset, "ncc")
        np.testing.assert_allclose(tally.table * 4, sum(parts).table)
        paired = store.paired(dataset, "ncc", "nbc")
        np.testing.assert_allclose(paired.a.table, tally.table)
        np.testing.assert_allclose(paired.a.squares, tally.squares)
        for u in ("u50", "u65", "u80"):
            assert tally.expected_utility(u) == pytest.approx(sum(parts).expected_utility(u))


def test_break_even_intervals_are_wide_accordingly(store):
    paired, pooled = store.paired("iris", "ncc", "nbc"), sum(store.pairs("iris", "ncc", "nbc"))
    new, old = break_even(paired), break_even(pooled)
    assert new.value == pytest.approx(old.value)
    assert new.interval[0] <= old.interval[0] <= old.interval[1] <= new.interval[1]
    assert np.ptp(new.interval) > np.ptp(old.interval)


def test_rows_of_several_data_sets_add_up(store):
    both = sum(store.tally(name, "ncc") for name in store.datasets)
    assert isinstance(both, Tally)
    assert both.n == pytest.approx(178 + 150)
    own = [store.tally(name, "ncc").estimate("u65") for name in store.datasets]
    assert min(e.standard_error for e in own) > both.estimate("u65").standard_error > 0


def test_what_is_assumed_is_said_in_words(store):
    words = (
        "178 rows of the data set, averaged over 4 repeats of 3 folds; standard errors are "
        "enlarged for random and overlapping training sets (in the spirit of Nadeau & Bengio, 2003)"
    )
    paired, tally = store.paired("wine", "ncc", "nbc"), store.tally("wine", "ncc")
    assert paired.assumption == tally.assumption == words
    for one in (paired, tally):
        assert words in " ".join(repr(one).split())
    assert isinstance(paired, PairedTally)


@pytest.mark.parametrize(
    ("scheme", "n_rows", "n_trained", "design"),
    [
        ({"n_folds": 5}, 150, 150, "150 rows of the data set, tested once in 5 folds"),
        ({"kind": "5x2"}, 150, 150, "150 rows of the data set, averaged over 5 repeats of 2 folds"),
        ({"kind": "holdout"}, 50, 100, "50 rows of the data set, tested once in 1 split"),
        ({"n_folds": 5, "folds": "weka", "repeats": 2}, 150, 150, "2 repeats of 5 folds"),
    ],
)
def test_every_scheme_says_which_rows_it_tests(scheme, n_rows, n_trained, design, tmp_path):
    plan = Plan(datasets=["iris"], learners={"nbc": "naive-bayes"}, scheme=scheme)
    tally = fill(plan, tmp_path).tally("iris", "nbc")
    assert tally.n == pytest.approx(n_rows)
    assert tally.effective_n == pytest.approx(n_rows / (1 + n_rows / n_trained))
    assert design in tally.assumption


def test_repeated_samples_count_each_tested_row_once(tmp_path):
    scheme = {"kind": "downsample", "sizes": [100], "repeats": 2}
    plan = Plan(datasets=["iris"], learners={"nbc": "naive-bayes"}, scheme=scheme)
    store = fill(plan, tmp_path)
    rows = [unit_data(unit).rows for unit in plan.units()]
    tested, always = np.union1d(*rows), np.intersect1d(*rows)
    assert 50 < len(tested) < 100
    tally = store.tally("iris", "nbc", size=100)
    assert tally.n == pytest.approx(len(tested))
    weights = np.where(np.isin(tested, always), 2, 1) * len(tested) / 100
    second_term = len(tested) ** 2 / (150 - len(always))
    assert tally.sums.squares.sum() == pytest.approx((weights**2).sum() + second_term)


def test_rows_drawn_from_a_model_are_all_different(tmp_path):
    plan = Plan(
        datasets=[{"generator": "random-naive-bayes"}],
        learners={"nbc": "naive-bayes"},
        scheme={"kind": "generate", "sizes": [40], "test_rows": 80, "repeats": 3},
    )
    store = fill(plan, tmp_path)
    tally = store.tally(store.datasets[0], "nbc", size=40)
    assert tally.n == 240
    assert tally.effective_n == pytest.approx(240 / (1 + 240 / 120))
    assert tally.assumption.startswith("240 rows drawn from the model, in 3 test sets; ")


def test_a_store_without_row_numbers_gives_intervals_that_are_at_least_as_wide(store, tmp_path):
    old = tmp_path / "results.sqlite"
    with sqlite3.connect(store.path / "results.sqlite") as source, sqlite3.connect(old) as target:
        source.backup(target)
        target.execute("DROP VIEW results")
        target.execute("ALTER TABLE units DROP COLUMN row_numbers")
        target.execute("ALTER TABLE units DROP COLUMN checksum")
        ((view,),) = source.execute("SELECT sql FROM sqlite_master WHERE name = 'results'")
        target.execute(view)
    source.close()
    target.close()
    for dataset, n in (("wine", 178), ("iris", 150)):
        known, unknown = (s.paired(dataset, "ncc", "nbc") for s in (store, Store(tmp_path)))
        assert unknown.n == n
        assert unknown.difference("u65").mean == pytest.approx(known.difference("u65").mean)
        errors = [pair.difference("u65").standard_error for pair in (unknown, known)]
        assert errors[0] >= errors[1]
        assert "which rows is not stored" in unknown.assumption


def test_a_run_adds_row_numbers_to_a_store_of_an_earlier_version(tmp_path):
    database = sqlite3.connect(tmp_path / "results.sqlite")
    earlier = Path(__file__).with_name("store_0_1_0.sql").read_text(encoding="utf-8")
    database.executescript(earlier + "PRAGMA user_version = 1;")
    database.close()
    once = "150 rows of the data set, tested once in 2 folds"
    assert once in Store(tmp_path).tally("iris", "nbc").assumption  # no numbers needed
    learners = {"nbc": "naive-bayes", "all": "vacuous"}
    plan = Plan(datasets=["iris"], learners=learners, scheme={"n_folds": 2}, prepare=PREPARE)
    store = fill(plan, tmp_path)
    assert store.tally("iris", "all").n == 150
    ((stored,),) = store._read("SELECT count(row_numbers) FROM results WHERE learner = 'all'")
    assert stored == 2


@given(st.lists(st.integers(0, 10**6), max_size=30))
def test_row_numbers_are_packed_in_any_order(numbers):
    assert unpack_numbers(pack_numbers(np.array(numbers, dtype=np.int64))).tolist() == numbers


@given(
    n_rows=st.integers(2, 12),
    n_folds=st.integers(2, 4),
    repeats=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_unknown_rows_never_have_the_smaller_variance(n_rows, n_folds, repeats, seed):
    rng = np.random.default_rng(seed)
    known, unknown = [], []
    for repeat in range(repeats):
        fold = rng.permutation(np.arange(n_rows) % n_folds)
        for f in range(n_folds):
            rows = np.flatnonzero(fold == f)
            known.append(SplitRows(repeat, n_rows - len(rows), len(rows), rows))
            unknown.append(SplitRows(repeat, n_rows - len(rows), len(rows)))
    cell = rng.integers(2, 6, n_rows * repeats)
    exact, wide = (Resampling.of(splits).sums(cell) for splits in (known, unknown))
    np.testing.assert_allclose(exact.totals, wide.totals)
    matrix = np.diag(exact.squares) if exact.squares.ndim == 1 else exact.squares
    assert np.linalg.eigvalsh(np.diag(wide.squares) - matrix).min() > -1e-9


def test_one_repeat_gives_counts(plan, tmp_path):
    once = Plan(datasets=["iris"], learners=LEARNERS, scheme={"n_folds": 3}, prepare=PREPARE)
    store = fill(once, tmp_path)
    tally = store.tally("iris", "ncc")
    assert tally == sum(store.tallies("iris", "ncc"))
    assert tally.table.dtype.kind == "i"
    assert type(tally) is ResampledTally
    assert type(store.paired("iris", *LEARNERS)) is ResampledPairedTally


@pytest.mark.long
def test_equally_good_learners_are_rarely_found_to_differ():
    """Finding A2: .58 for 10 x 10 folds; at most .08 is required."""
    rng = np.random.default_rng(14)
    design = cross_validation.DESIGNS["10 x 10 folds"]
    found = [cross_validation.replicate("best feature", design, 60, rng) for _ in range(150)]
    assert cross_validation.type_one_error([result.by_row for result in found]) <= 0.08
    assert cross_validation.type_one_error([result.all_outcomes for result in found]) > 0.3


def test_tallies_over_splits_are_shown_after_json(store):
    for tally in (store.tally("wine", "nbc"), store.paired("wine", "nbc", "ncc")):
        again = type(tally).from_json(tally.to_json())
        assert again == tally
        words = " ".join(str(tally).split())
        assert " ".join(str(again).split()) == words.removesuffix(tally.assumption).strip()


def test_splits_without_test_rows_have_no_design():
    with pytest.raises(ValueError, match="the splits test 0 rows: at least one row must be tested"):
        Resampling.of([SplitRows(0, 10, 0, None)])
