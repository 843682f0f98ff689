"""A damaged store is noticed, named and repaired; intact results are never lost."""

import errno
import os
import random
import shutil
import sqlite3
import tracemalloc
import zlib
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.filled import fill, tables
from wager.experiments import Plan, Store, StoreError, run
from wager.experiments.store import _checksums, _database
from wager.experiments.store._checksums import checksum_of, inflate
from wager.experiments.store._database import UNITS, open_to_write
from wager.experiments.store._pages import records_in

PLAN = {
    "datasets": ["iris"],
    "learners": {"nbc": "naive-bayes", "all": "vacuous"},
    "scheme": {"n_folds": 5, "repeats": 4},
    "prepare": {"discretize": "mdl"},
}


@pytest.fixture(scope="module")
def plan():
    return Plan(**PLAN)


@pytest.fixture(scope="module")
def whole(plan, tmp_path_factory):
    return fill(plan, tmp_path_factory.mktemp("whole"))


@pytest.fixture
def store(whole, tmp_path):
    shutil.copy(whole.path / "results.sqlite", tmp_path)
    return Store(tmp_path)


def change(store, sql, *values):
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        database.execute(sql, values)


def overwrite(store, place, content):
    with (store.path / "results.sqlite").open("r+b") as file:
        file.seek(place)
        file.write(content)


def answers(store):
    """Everything that is read from a store, as text."""
    numbers = [repr(store.scores(m).values.tolist()) for m in ("u65", "log_loss")]
    names = repr((store.datasets, store.learners, store.counts(), store.plan, store.versions()))
    rows = store.paired("iris", "nbc", "all").difference("u80").mean
    return [*numbers, names, repr(rows), repr(store.failures())]


def test_the_structure_of_a_file_is_checked_once_and_again_after_a_change(store, monkeypatch):
    """Readers make and remove an empty log, after which every read once checked all anew."""
    checks = []

    class Watched(sqlite3.Connection):
        def execute(self, sql, *values):
            checks.extend([sql] * ("integrity_check" in sql))
            return super().execute(sql, *values)

    monkeypatch.setattr(_database.sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
    answers(store)
    answers(store)
    assert len(checks) == 1
    change(store, "CREATE TABLE another (x)")
    assert store.counts()
    assert len(checks) == 2


def test_a_changed_value_is_noticed_wherever_it_is_read(store, plan):
    key = plan.units()[2].key
    change(store, "UPDATE units SET n_train = n_train + 1 WHERE key = ?", key)
    for read in (
        lambda: store.scores("u65"),
        lambda: store.columns(["u65"]),
        lambda: store.tally("iris", "nbc"),
        lambda: store.folds("iris"),
        lambda: store.pivot("u65"),
    ):
        with pytest.raises(
            ValueError, match="the result of nbc on iris, repeat 0, fold 1 is not as it was written"
        ):
            read()
    assert store.tally("iris", "all").n == 150  # the others can be read


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE planned SET learner = 'nbb' WHERE learner = 'nbc' AND repeat = 1",
        "UPDATE about SET value = replace(value, 'u65', 'u56')",
        "UPDATE units SET tally = NULL WHERE rowid = 3",
        "UPDATE versions SET what = 'x'",
    ],
)
def test_changed_names_plans_and_versions_are_noticed(store, sql):
    change(store, sql)
    with pytest.raises(
        ValueError, match=r"the database is damaged .* --repair' keeps every intact"
    ):
        answers(store)


def test_a_run_does_damaged_units_again_and_says_so(store, plan, whole):
    change(store, "UPDATE units SET n_test = n_test + 1 WHERE rowid IN (3, 8)")
    summary = run(plan, store)
    assert (summary.done, summary.reused) == (2, 38)
    assert "2 units in the store could not be reused: their records were damaged" in summary.text()
    assert tables(store.path) == tables(whole.path)


def test_bits_that_flip_are_noticed_or_change_nothing(store, whole):
    """Also those in the structure of the file; errors of SQLite do not escape."""
    expected = answers(whole)
    original = (whole.path / "results.sqlite").read_bytes()
    chance = random.Random(5)
    noticed = 0
    for _ in range(25):
        place = chance.randrange(len(original))
        overwrite(store, place, bytes([original[place] ^ 1 << chance.randrange(8)]))
        found = None
        try:
            found = answers(store)
        except ValueError as problem:
            noticed += str(problem).startswith("cannot read the results in")
        assert found in (None, expected), place
        overwrite(store, place, original[place : place + 1])
    assert noticed > 5
    assert answers(store) == expected


def test_a_damaged_name_in_the_structure_is_noticed_and_repaired(store, plan, whole):
    """SQLite repeats the name in its message, which is then not UTF-8."""
    name = (store.path / "results.sqlite").read_bytes().index(b"planned_names")
    overwrite(store, name + 1, b"\xb8")
    with pytest.raises(ValueError, match=r"a name in its structure is not UTF-8\); .* --repair"):
        answers(store)
    with pytest.raises(StoreError, match=r"cannot write .* is not UTF-8\); .* --repair"):
        run(plan, store)
    assert store.repair().kept > 0
    run(plan, store)
    assert tables(store.path) == tables(whole.path)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7])
def test_a_store_that_was_cut_off_is_repaired_as_far_as_it_goes(store, plan, whole, share):
    file = store.path / "results.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"cannot read the results .* --repair"):
        answers(store)
    with pytest.raises(StoreError, match=r"cannot write to .*damaged.* --repair"):
        run(plan, store)
    done = store.repair()
    assert done.kept <= 40
    assert (done.kept > 0) == (share > 0.5)
    assert done.backup.read_bytes() == content[: int(share * len(content))]
    assert run(plan, store).reused == done.kept
    assert tables(store.path) == tables(whole.path)


@pytest.mark.parametrize(("place", "reused"), [(0, 40), (16, 40), (100, 40), (4096, 0)])
def test_a_repair_needs_no_intact_structure(store, plan, whole, place, reused):
    """Not even the first page; the second one has the versions that computed the results."""
    overwrite(store, place, bytes(50))
    found = store.repair()
    assert found.kept == 40
    summary = run(plan, store)
    assert (summary.reused, summary.done) == (reused, 40 - reused)
    assert answers(store) == answers(whole)


def test_a_repair_that_lost_the_versions_says_that_a_run_computes_its_results_again(store, plan):
    """It said that all was kept, and the run that the version had become what it was before."""
    overwrite(store, 4096, bytes(50))
    store.repair()
    found = store.repair()  # the store that the first one wrote has no versions either
    assert found.text().startswith(
        "40 intact results kept (40 without the versions that computed them: a run does these "
        "again), none of the plan missing; "
    )
    assert run(plan, store).again == {"the versions that computed them are not known": 40}
    assert "without the versions" not in store.repair().text()


def test_a_repair_leaves_out_only_what_is_damaged(store, plan, whole):
    change(store, "UPDATE units SET rows = zeroblob(20) WHERE rowid IN (3, 8)")
    before = (store.path / "results.sqlite").read_bytes()
    found = store.repair()
    assert (found.kept, found.missing) == (38, 2)
    assert found.text() == (
        "38 intact results kept, 2 of the plan missing: run it again to compute them; the file as "
        "it was is results.sqlite.damaged-1"
    )
    assert (store.path / "results.sqlite.damaged-1").read_bytes() == before
    assert np.isfinite(store.scores("u65").values).all()
    assert (run(plan, store).done, tables(store.path)) == (2, tables(whole.path))
    again = store.repair()
    assert (again.kept, again.missing) == (40, 0)
    assert again.backup.name == "results.sqlite.damaged-2"


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of files")
def test_a_repaired_store_keeps_its_permissions(store):
    """One that only its owner could read could then be read by all."""
    file = store.path / "results.sqlite"
    file.chmod(0o600)
    store.repair()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("place", ["shutil.copy2", "_synchronize"])
def test_a_repair_for_which_there_is_no_space_leaves_everything_as_it_was(
    store, monkeypatch, place
):
    """Half a copy of the damaged file stayed, or with every attempt another copy."""
    overwrite(store, 16, bytes(50))
    before = (store.path / "results.sqlite").read_bytes()
    asked = []

    def full(*given):
        asked.append(given)
        Path(given[-1]).write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(f"wager.experiments.store._repair.{place}", full)
    with pytest.raises(StoreError, match="No space left on device"):
        store.repair()
    assert asked
    assert (store.path / "results.sqlite").read_bytes() == before
    assert {each.name for each in store.path.iterdir()} <= {"results.sqlite", "run.lock"}
    monkeypatch.undo()
    assert store.repair().kept == 40


def test_a_store_of_a_later_version_is_not_taken_for_damaged(store):
    """Its records may have other checksums; a repair would have left all of them out."""
    change(store, "PRAGMA user_version = 3")
    change(store, "UPDATE units SET checksum = 'of another kind'")
    before = (store.path / "results.sqlite").read_bytes()
    words = r"it was written by another version of wager \(format 3, here 2\)"
    with pytest.raises(ValueError, match=words):
        store.scores("u65")
    with pytest.raises(ValueError, match=f"cannot repair .*{words}"):
        store.repair()
    assert (store.path / "results.sqlite").read_bytes() == before
    assert not list(store.path.glob("*.damaged*"))


def test_a_store_whose_beginning_is_overwritten_is_damaged_and_of_no_later_version(store):
    overwrite(store, 0, b"another file " * 20)
    with pytest.raises(ValueError, match=r"the database is damaged .* --repair"):
        store.scores("u65")


def test_a_repair_does_without_a_plan_that_has_empty_records(store, plan, whole):
    """As a damaged page can hold them, although the table forbids it."""
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    change(store, "UPDATE planned SET key = NULL, plan_checksum = NULL WHERE position = 3")
    found = store.repair()
    assert (found.kept, found.missing) == (40, None)
    assert "the plan could not be read: run it again" in found.text()
    assert (run(plan, store).done, tables(store.path)) == (0, tables(whole.path))


def test_a_repair_reads_the_log_of_a_run_that_was_killed(plan, tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    copy.mkdir()
    with open_to_write(source):  # so that the log is not written back
        pass
    with closing(sqlite3.connect(source / "results.sqlite")):
        fill_with_log(plan, source, copy)
    assert (copy / "results.sqlite-wal").stat().st_size
    overwrite(Store(copy), 0, bytes(100))
    assert Store(copy).repair().kept == 40
    assert not (copy / "results.sqlite-wal").exists()
    assert (copy / "results.sqlite.damaged-1-wal").exists()


def fill_with_log(plan, source, copy):
    """Fill a store, and copy its files while they are open, as a killed process leaves them."""
    with closing(sqlite3.connect(source / "results.sqlite")) as reader:
        reader.execute("SELECT count(*) FROM units").fetchone()
        fill(plan, source)
        for file in ("results.sqlite", "results.sqlite-wal"):
            shutil.copy(source / file, copy)


def test_a_repair_of_nothing_or_during_a_run_is_refused(store, tmp_path):
    with pytest.raises(ValueError, match="there is nothing to repair"):
        Store(tmp_path / "none").repair()
    with open_to_write(store.path), pytest.raises(StoreError, match="another run"):
        store.repair()


def test_records_are_read_without_sqlite(whole):
    """Every value of every unit, including those that continue on further pages."""
    with closing(sqlite3.connect(whole.path / "results.sqlite")) as database:
        expected = database.execute("SELECT * FROM units ORDER BY key").fetchall()
    file = whole.path / "results.sqlite"
    found = [tuple(values) for _, values in records_in(file) if len(values) == len(expected[0])]
    assert sorted(found) == expected
    assert max(len(repr(row)) for row in expected) > 4096


def test_a_small_value_that_expands_to_much_is_refused(store, monkeypatch):
    """The limit is 256 MiB; here it is lower, since making a larger value takes seconds."""
    assert _checksums.MOST_BYTES == 2**28
    monkeypatch.setattr(_checksums, "MOST_BYTES", 10**6)
    bomb = b"B" + zlib.compress(bytes(10**6 + 1))
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        columns = ", ".join(UNITS)
        row = list(database.execute(f"SELECT {columns} FROM units WHERE rowid = 1").fetchone())
        row[UNITS.index("rows")] = bomb
        checksum = checksum_of(UNITS, row)
        database.execute(
            "UPDATE units SET rows = ?, checksum = ? WHERE rowid = 1", (bomb, checksum)
        )
    with pytest.raises(ValueError, match="a compressed value expands to more than 1000000 bytes"):
        store.tally("iris", "nbc")


def test_a_value_that_expands_to_much_is_not_unpacked():
    packed = zlib.compress(bytes(20_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="expands to more than 1000 bytes"):
            _checksums.inflate(packed, most=1000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "content", [b"", b"x", zlib.compress(b"rows")[:-3], b"\x78\x9c" + bytes(9)]
)
def test_a_compressed_value_that_is_damaged_is_refused(content):
    with pytest.raises(ValueError, match="a compressed value is damaged"):
        inflate(content)


def test_a_number_that_sqlite_cannot_store_does_not_look_like_damage(plan, tmp_path):
    """SQLite stores NaN as NULL."""
    from dataclasses import replace

    from wager.experiments.plan import versions
    from wager.experiments.run._fit_unit import do_task

    units = plan.units()
    with open_to_write(tmp_path) as writer:
        writer.begin(plan.model_dump_json(), units)
        (result, *_) = do_task(plan.tasks(units)[0])
        writer.add(units[0], replace(result, kl_divergence=float("nan")), plan.keep, versions())
    assert len(Store(tmp_path).columns(["u65"])["u65"]) == 1


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs another user to become")
def test_a_read_only_store_with_a_log_says_that_it_is_incomplete(plan, tmp_path, monkeypatch):
    source, copy = tmp_path / "source", tmp_path / "copy"
    copy.mkdir()
    with open_to_write(source):
        pass
    fill_with_log(plan, source, copy)
    copy.chmod(0o755)
    words = "the last of them are still in results.sqlite-wal, and this folder is read-only"
    monkeypatch.chdir(copy)  # its parents are closed to other users
    os.seteuid(65534)
    try:
        with pytest.raises(ValueError, match=words):
            Store(".").counts()
    finally:
        os.seteuid(0)
    assert Store(copy).counts()["done"] == 40


def test_a_locked_store_is_not_read_without_its_lock(store, monkeypatch):
    """SQLite reads an immutable file although another process is writing to it."""
    places = []

    def locked(place):
        places.append(place)
        problem = sqlite3.OperationalError("database is locked")
        problem.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise problem

    monkeypatch.setattr(_database, "_at_one_moment", locked)
    with pytest.raises(ValueError, match=r"cannot read the results in .*: database is locked"):
        store.counts()
    assert not any("immutable" in place for place in places)


def test_a_repair_keeps_the_plan_and_the_versions(store, whole):
    change(store, "UPDATE units SET rows = zeroblob(20) WHERE rowid = 3")
    assert store.repair().missing == 1
    found = Store(store.path)
    assert (found.plan, found.versions()) == (whole.plan, whole.versions())
    assert found.learners == whole.learners


def test_a_repair_begins_anew_after_one_that_was_interrupted(store):
    (store.path / "results.sqlite.repaired").write_bytes(b"half of a database" * 100)
    assert store.repair().kept == 40
    assert not (store.path / "results.sqlite.repaired").exists()


def test_a_negative_row_number_is_read_without_sqlite(tmp_path):
    """SQLite writes it as a whole number of nine bytes."""
    with closing(sqlite3.connect(tmp_path / "some.sqlite")) as database, database:
        database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
        database.execute("INSERT INTO t VALUES (-2, 'minus two')")
    found = {values[-1]: number for number, values in records_in(tmp_path / "some.sqlite")}
    assert found["minus two"] == 2**64 - 2


def test_a_value_may_be_as_large_as_the_limit():
    assert inflate(zlib.compress(bytes(100)), most=100) == bytes(100)
