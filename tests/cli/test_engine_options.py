"""``wager results --repair`` and ``wager run --no-import``."""

import sqlite3
from contextlib import closing

from wager.cli.run import _saying_what_is_done_again
from wager.experiments import Progress


def test_a_damaged_store_is_named_and_repaired(wager, store):
    with closing(sqlite3.connect(store.path / "results.sqlite")) as database, database:
        database.execute("UPDATE units SET n_test = n_test + 1 WHERE rowid = 1")
    said = wager("results", store.path)
    assert said.exit_code == 2
    assert "is not as it was written" in said.stderr
    assert "--repair' keeps every intact result" in " ".join(said.stderr.split())
    repaired = wager("results", store.path, "--repair")
    assert repaired.exit_code == 0, repaired.output
    assert repaired.stdout.startswith("39 intact results kept, 1 of the plan missing: run it again")
    *_, state, uneven = wager("results", store.path).stdout.splitlines()
    assert state.startswith("39 of 40 units done")
    assert uneven.startswith("on iris learners have finished different splits")


def test_a_plan_that_imports_is_refused_before_it_does(wager, tmp_path):
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    (tmp_path / "plan.toml").write_text('datasets = ["iris"]\nlearners.a = "own.Own"\n')
    for option in ([], ["--dry"]):
        said = wager("run", tmp_path / "plan.toml", "--no-import", *option)
        assert said.exit_code == 2
        assert (
            "plan.toml: learners.a: 'own.Own' would be imported, which --no-import" in said.stderr
        )
    assert not (tmp_path / "ran").exists()


def test_a_run_says_at_its_start_what_it_cannot_reuse(capsys):
    seen = []
    report = _saying_what_is_done_again(seen.append)
    again = {"wager is now 2.0": 3}
    report(Progress(total=4, reused=1, again=again))
    report(Progress(total=4, reused=1, done=1, again=again))
    assert len(seen) == 2
    said = capsys.readouterr().err
    assert said == "computed again: 3 of the units in the store (wager is now 2.0)\n"
