import json
import shutil
import sqlite3
from contextlib import closing, contextmanager

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.experiments.filled import HERE, fill
from wager.compare import corrected_t, friedman
from wager.experiments import Plan, ScoreTable, Store, StoreError, run
from wager.experiments.plan import Keep, versions
from wager.experiments.run._fit_unit import configured_learner, do_task, predict
from wager.experiments.run._unit_data import unit_data
from wager.experiments.store import _store
from wager.experiments.store._database import open_to_read, open_to_write
from wager.experiments.store._unit_result import pack_rows, paired_tally
from wager.predictions import read_predictions
from wager.rewards import PairedTally, Tally, evaluate_probabilities

LEARNERS = {"nbc": "naive-bayes", "ncc": "naive-credal", "all": "vacuous"}


@pytest.fixture(scope="module")
def plan():
    return Plan(
        datasets=["iris", "wine"],
        learners=LEARNERS,
        scheme={"n_folds": 3, "repeats": 2},
        prepare={"discretize": "mdl"},
        measures=["u65", "single_accuracy", "log_loss"],
        predictions=True,
    )


@pytest.fixture(scope="module")
def store(plan, tmp_path_factory):
    return fill(plan, tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def by_hand(plan):
    """Truth, sets and probabilities of every unit."""
    found = []
    for unit in plan.units():
        data = unit_data(unit)
        learner = configured_learner(unit.learner, data, unit.random_state)
        learner.fit(data.train.X, data.y_train)
        found.append((unit, data.y_test, *predict(learner, data.test.X, 3, True)))
    return found


def test_the_frame_has_one_row_per_unit_and_one_column_per_measure(store, by_hand):
    frame = store.frame()
    assert len(frame) == 2 * 6 * 3
    assert [*frame.columns] == [
        *("dataset", "repeat", "fold", "learner", "n_train", "n_test", "n_features"),
        *("fit_seconds", "predict_seconds", "u65", "single_accuracy", "log_loss"),
    ]
    for row, (unit, y, sets, _) in zip(frame.itertuples(), by_hand, strict=True):
        assert (row.dataset, row.repeat, row.fold) == (unit.source.name, *unit.split[:2])
        assert row.learner == unit.label
        assert row.u65 == pytest.approx(Tally.of(y, sets).expected_utility("u65"))
    assert frame[frame.learner == "all"]["single_accuracy"].isna().all()


def test_polars_gets_the_same_frame(store):
    ours, theirs = store.frame(backend="polars"), store.frame()
    assert ours["u65"].to_list() == theirs["u65"].tolist()
    with pytest.raises(ValueError, match="backend must be 'pandas' or 'polars'"):
        store.frame(backend="excel")


@pytest.mark.parametrize("measure", ["u65", "coverage", "log_loss", "brier"])
def test_scores_are_averaged_over_folds_or_pooled_over_rows(store, by_hand, measure):
    folds, rows = store.scores(measure), store.scores(measure, pooled=True)
    assert folds.rows == ("iris", "wine")
    assert folds.columns == tuple(LEARNERS)
    for i, dataset in enumerate(folds.rows):
        for j, learner in enumerate(folds.columns):
            mine = [u for u in by_hand if (u[0].source.name, u[0].label) == (dataset, learner)]
            apart = [scored(measure, y, sets, proba) for _, y, sets, proba in mine]
            together = scored(
                measure,
                *(np.concatenate(parts) for parts in zip(*[m[1:] for m in mine], strict=True)),
            )
            assert folds.values[i, j] == pytest.approx(np.mean(apart))
            assert rows.values[i, j] == pytest.approx(together)


def scored(measure, y, sets, proba):
    if measure in ("log_loss", "brier"):
        return getattr(evaluate_probabilities(y, proba, classes=[0, 1, 2]), measure)
    tally = Tally.of(y, sets)
    hits = tally.table[:, 1].sum() / tally.n
    return hits if measure == "coverage" else tally.expected_utility(measure)


def test_tallies_add_up_and_pairs_are_those_of_the_rows(store, by_hand):
    y, nbc, ncc = [], [], []
    for unit, truth, sets, _ in by_hand:
        if unit.source.name == "wine" and unit.label in ("nbc", "ncc"):
            (nbc if unit.label == "nbc" else ncc).append(sets)
            if unit.label == "nbc":
                y.append(truth)
    y, nbc, ncc = (np.concatenate(parts) for parts in (y, nbc, ncc))
    assert len(store.tallies("wine", "ncc")) == 6
    assert sum(store.tallies("wine", "ncc")) == Tally.of(y, ncc)
    apart = store.pairs("wine", "ncc", "nbc")
    assert [part.a for part in apart] == store.tallies("wine", "ncc")
    assert sum(apart) == PairedTally.of(y, ncc, nbc)


@given(
    n_classes=st.sampled_from([2, 5, 400]),
    splits=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    seed=st.integers(0, 99),
)
def test_pairs_of_many_splits_are_counted_as_one_by_one(n_classes, splits, seed):
    rng = np.random.default_rng(seed)
    packed, slow = ([], []), PairedTally.empty(n_classes)
    for n in splits:
        sizes, hits = rng.integers(1, n_classes + 1, (2, n)), rng.random((2, n)) < 0.5
        for side, size, hit in zip(packed, sizes, hits, strict=True):
            side.append(pack_rows(size, hit))
        for row in np.stack([sizes[0], hits[0], sizes[1], hits[1]], axis=1):
            slow += PairedTally(n_classes, [row], [1])
    assert paired_tally(*packed, n_classes) == slow


def test_what_is_read_while_a_run_writes_is_of_one_moment(plan, tmp_path, monkeypatch):
    units = plan.units()
    by_key = {unit.key: unit for unit in units}
    keep = Keep(plan.probabilities, False)
    made = [result for task in plan.tasks(units) for result in do_task(task)]
    with open_to_write(tmp_path) as writer:

        def add():
            result = made.pop(0)
            writer.add(by_key[result.key], result, keep, "{}")

        @contextmanager
        def read_as_a_unit_is_done(folder):
            with open_to_read(folder) as database:
                add()
                yield database

        writer.begin(plan.model_dump_json(), units)
        add()
        monkeypatch.setattr(_store, "open_to_read", read_as_a_unit_is_done)
        store = Store(tmp_path)
        assert len(store.columns(["u65", "log_loss"])["u65"]) == 1
        assert store.folds("iris", "u65").rows == ("0.0",)
        assert np.isfinite(store.scores("u65").values[0]).all()
        assert store.paired("iris", "ncc", "nbc").n == 50  # the split that both had done
        assert store.scores("u65", pooled=True).rows == ("iris", "wine")
        left = len(made)
        assert store.counts()["done"] == len(units) - left
        assert len(made) == left - 1


def test_probabilities_of_all_folds_are_evaluated_together(store, by_hand):
    parts = [
        (y, proba)
        for unit, y, _, proba in by_hand
        if (unit.source.name, unit.label) == ("iris", "ncc")
    ]
    y, proba = (np.concatenate(part) for part in zip(*parts, strict=True))
    ours, theirs = store.probabilities("iris", "ncc"), evaluate_probabilities(y, proba)
    assert ours.n_rows == 300
    assert ours.log_loss == pytest.approx(theirs.log_loss)
    assert ours.classwise_calibration_error == pytest.approx(theirs.classwise_calibration_error)


def test_rows_are_kept_in_files_when_asked_for(store, by_hand):
    files = store.predictions("wine", "ncc")
    assert len(files) == len(store.predictions("wine", "ncc", kind="probabilities")) == 6
    _, y, sets, _ = next(
        found for found in by_hand if (found[0].source.name, found[0].label) == ("wine", "ncc")
    )
    kept = read_predictions(files[0])
    assert Tally.of(kept.y_true, kept.sets) == Tally.of(y, sets)


def test_files_of_predictions_that_are_missing_are_named_and_written_again(tmp_path):
    """Those that were left came as if they were all."""
    asked = {"datasets": ["iris"], "learners": {"all": "vacuous"}, "scheme": {"n_folds": 3}}
    plan = Plan(**asked, predictions=True)
    store = fill(plan, tmp_path)
    files = store.predictions("iris", "all")
    files[1].unlink()
    with pytest.raises(ValueError, match="1 of 3 files of predictions of all on 'iris' are miss"):
        store.predictions("iris", "all")
    assert list(store.predictions_by_split("iris", "all")) == [(0, 0), (0, 2)]
    summary = run(plan, store)
    assert (summary.done, summary.again) == (1, {"their files of predictions are missing": 1})
    assert store.predictions("iris", "all") == files
    assert run(Plan(**asked), store).reused == 3  # which needs no files


def test_files_of_predictions_of_an_earlier_version_are_not_those_of_its_successor(tmp_path):
    asked = {"datasets": ["iris"], "learners": {"all": "vacuous"}, "scheme": {"n_folds": 3}}
    store = fill(Plan(**asked, predictions=True), tmp_path)
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database, database:
        database.execute("""UPDATE versions SET what = replace(what, '"wager":"', '"wager":"9')""")
    assert run(Plan(**asked), store).done == 3
    assert store.predictions("iris", "all") == []


def test_results_feed_the_tests_of_compare(store):
    outcome = friedman(store.scores("u65"))
    assert outcome.details["mean_ranks"] == store.scores("u65").mean_ranks.tolist()
    folds = store.folds("iris", "u65")
    assert folds.rows == tuple(f"{r}.{f}" for r in range(2) for f in range(3))
    test = corrected_t(*folds.values[:, :2].T, n_train=100, n_test=50)
    assert test.effect == pytest.approx(np.subtract(*store.scores("u65").values[0, :2]))


def test_medians_ranks_and_wins():
    values = np.array([[0.9, 0.8, 0.8], [0.5, 0.6, 0.7], [0.4, np.nan, 0.9]])
    table = ScoreTable("u65", ("a", "b", "c"), ("x", "y", "z"), values)
    assert table.complete().rows == ("a", "b")
    assert table.medians.tolist() == pytest.approx([0.7, 0.7, 0.75])
    assert table.means.tolist() == pytest.approx([0.7, 0.7, 0.75])
    assert table.mean_ranks.tolist() == [2.0, 2.25, 1.75]
    assert table.wins.tolist() == [1, 0, 1]
    lower = ScoreTable("log_loss", ("a", "b", "c"), ("x", "y", "z"), values, False)
    assert lower.wins.tolist() == [1, 1, 1]
    assert table.to_frame().loc["b", "z"] == 0.7
    none = ScoreTable("u65", ("c",), ("x", "y"), values[2:, :2])
    assert none.wins.tolist() == [0, 0]
    assert np.isnan(none.medians).all()


@pytest.mark.parametrize("greater_is_better", [True, False])
def test_scores_that_differ_by_rounding_are_won_by_both(greater_is_better):
    values = np.array([[0.1 + 0.2, 0.3], [0.5, 0.5]])
    table = ScoreTable("u65", ("a", "b"), ("x", "y"), values, greater_is_better)
    assert table.mean_ranks.tolist() == [1.5, 1.5]
    assert table.wins.tolist() == [2, 2]


def test_failures_are_listed_and_counted(tmp_path):
    learners = {"bad": "faulty.Raises", "good": "faulty.Majority"}
    store = fill(Plan(datasets=["iris"], learners=learners, folder=HERE), tmp_path)
    failed = store.failures()
    assert store.counts() == {"planned": 20, "done": 20 - len(failed), "failed": len(failed)}
    assert failed[0].learner == "bad"
    assert "RuntimeError" in failed[0].trace
    assert len(store.frame()) == 20 - len(failed)
    table = store.scores("discounted_accuracy")
    assert np.isfinite(table.values).all()


def test_sizes_are_rows_of_their_own(tmp_path):
    scheme = {"kind": "downsample", "sizes": [6, 30], "repeats": 2}
    plan = Plan(datasets=["iris"], learners={"all": "vacuous"}, scheme=scheme, measures=["u65"])
    store = fill(plan, tmp_path)
    assert store.scores("mean_set_size").rows == ("iris, 6 rows", "iris, 30 rows")
    assert store.frame()["size"].tolist() == [6, 6, 30, 30]
    assert [tally.n for tally in store.tallies("iris", "all", size=6)] == [144, 144]
    with pytest.raises(ValueError, match="there is no result of 'all' on 'iris'"):
        store.tally("iris", "all")


def test_units_of_an_earlier_plan_stay_but_are_not_shown(tmp_path):
    first = Plan(datasets=["iris"], learners={"all": "vacuous"})
    second = Plan(datasets=["iris"], learners={"any": "random-class"})
    fill(first, tmp_path)
    store = fill(second, tmp_path)
    assert store.learners == ("any",)
    assert len(store.frame()) == 10
    assert store.done() == {unit.key for plan in (first, second) for unit in plan.units()}


def test_a_folder_without_results_gives_a_clear_message(tmp_path):
    with pytest.raises(ValueError, match="there are no results in"):
        Store(tmp_path).frame()


def test_a_file_that_is_not_a_database_gives_a_clear_message(tmp_path):
    (tmp_path / "results.sqlite").write_text("not a database at all, but long enough to be read")
    with pytest.raises(ValueError, match="cannot read the results in"):
        Store(tmp_path).counts()
    with pytest.raises(StoreError, match="cannot write to"), open_to_write(tmp_path):
        pass


def test_a_store_of_another_format_is_refused(store, tmp_path):
    shutil.copy(store.path / "results.sqlite", tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="format 99"), open_to_write(tmp_path):
        pass


def test_only_one_process_writes_at_a_time(tmp_path):
    with open_to_write(tmp_path):
        with pytest.raises(StoreError, match=r"another run \(process [0-9]+\) is writing to"):
            open_to_write(tmp_path).__enter__()
        assert Store(tmp_path).counts()["planned"] == 0  # reading is always possible
    with open_to_write(tmp_path):
        pass


def test_unknown_names_are_in_the_message(store):
    with pytest.raises(ValueError, match="there is no result of 'svm' on 'iris'"):
        store.tally("iris", "svm")
    with pytest.raises(ValueError, match="there is no measure"):
        store.scores("beauty")
    with pytest.raises(ValueError, match="there is no result on 'zoo' yet"):
        store.folds("zoo")


def test_versions_and_plan_are_kept(store):
    assert store.versions() == [json.loads(versions())]
    assert store.plan["scheme"]["n_folds"] == 3
    assert repr(store) == f"Store({str(store.path)!r})"


def test_scores_stand_in_the_order_of_the_plan(tmp_path):
    names = ["wine", "iris"]
    plan = Plan(
        datasets=names,
        scheme={"kind": "downsample", "sizes": [20, 9], "repeats": 1},
        learners={"b": "vacuous", "a": "vacuous"},
    )
    table = fill(plan, tmp_path / "store").scores("u65")
    assert table.rows == tuple(f"{name}, {size} rows" for name in names for size in (20, 9))
    assert table.columns == ("b", "a")


def test_a_store_in_which_nothing_is_done_has_the_columns_of_its_plan(tmp_path):
    sizes = {"kind": "downsample", "sizes": [9], "repeats": 1}
    for scheme, has_size in ((sizes, True), ({"n_folds": 2}, False)):
        plan = Plan(datasets=["iris"], scheme=scheme, learners={"a": "vacuous"})
        columns = fill(plan, tmp_path / str(has_size), tasks=0).columns(["u65"])
        assert ("size" in columns) == has_size
        assert not any(columns.values())


def test_a_learner_without_stored_probabilities_says_so(tmp_path):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, probabilities=False, scheme="5x2")
    store = fill(plan, tmp_path, tasks=1)
    with pytest.raises(ValueError, match="no probabilities of a are stored: the learner has none"):
        store.probabilities("iris", "a")


def test_a_training_size_that_was_not_run_is_in_the_message(store):
    with pytest.raises(ValueError, match="there is no result of 'nbc' on 'iris' with size 7: the"):
        store.tally("iris", "nbc", size=7)
