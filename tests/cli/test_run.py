"""``wager run``: progress in plain lines, and the exit status of every outcome."""

import json
from pathlib import Path

from tests.experiments.filled import HERE, fill
from wager.experiments import Plan, Store
from wager.experiments.store._lock import sole_writer


def test_run_prints_progress_and_a_summary_in_plain_lines(wager, plan_file, tmp_path):
    said = wager("run", plan_file, "--out", tmp_path / "new", "--jobs", 2)
    assert said.exit_code == 0, said.output
    assert said.stderr.startswith("0 of 40 units\n")
    assert "40 of 40 units" in said.stderr
    assert "40 units: 40 done" in said.stdout
    assert Store(tmp_path / "new").counts()["done"] == 40
    again = wager("run", plan_file, "--out", tmp_path / "new")
    assert "0 done" in again.stdout
    assert "40 reused, 0 failed" in again.stdout


def test_the_results_folder_has_the_name_of_the_file_of_the_plan(wager, tmp_path, monkeypatch):
    """Also if the plan has another name, as the help now says."""
    monkeypatch.chdir(tmp_path)
    Path("file.toml").write_text(
        'name = "other"\ndatasets = ["iris"]\nscheme.n_folds = 2\nlearners = { all = "vacuous" }\n'
    )
    assert "results: wager results file" in wager("run", "file.toml", "-q").stdout
    assert Store("file").plan["name"] == "other"
    assert "the name of the plan's file" in " ".join(wager("run", "--help").stdout.split())


def test_run_exits_with_1_and_a_summary_if_units_failed(wager, tmp_path):
    (tmp_path / "p.toml").write_text(
        'datasets = ["iris"]\n[learners]\nbad = "faulty.Raises"\ngood = "faulty.Majority"\n'
    )
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    fill(Plan.load(tmp_path / "p.toml"), tmp_path / "p")
    said = wager("run", tmp_path / "p.toml", "--out", tmp_path / "p")
    assert said.exit_code == 1
    assert "bad on iris" in said.stdout
    assert "RuntimeError: cannot learn from" in said.stdout
    failures = wager("results", tmp_path / "p", "--failures")
    assert failures.exit_code == 0
    assert "Traceback" in failures.stdout
    assert "units failed" in failures.stdout
    entries = json.loads(wager("results", tmp_path / "p", "--failures", "-f", "json").stdout)
    assert {entry["learner"] for entry in entries} == {"bad"}
    assert all("Traceback" in entry["traceback"] for entry in entries)
    table = wager("results", tmp_path / "p")
    assert "failed (see --failures)" in table.stdout


def test_run_exits_with_2_and_a_sentence_for_each_problem_of_the_plan(wager, tmp_path):
    file = tmp_path / "p.toml"
    file.write_text(
        'datasets = ["iris", "wien"]\nseeds = 3\n[learners]\na = "naive-bays"\n'
        "[prepare]\nselect = 1"
    )
    said = wager("run", file)
    assert said.exit_code == 2
    places = f"in {tmp_path}, nor among scikit-learn's (breast_cancer, digits, iris, wine)"
    assert said.stderr.splitlines() == [
        "wager: p.toml: prepare.select must be 'none' or 'cfs', got 1",
        "wager: p.toml: seeds is not a key of a plan: did you mean seed?",
        "wager: p.toml: learners.a: unknown learner 'naive-bays': did you mean 'naive-bayes'?",
        f"wager: p.toml: datasets.1: there is no data set 'wien' {places}: did you mean 'wine'?",
    ]


def test_a_target_that_is_not_there_is_found_by_dry_and_by_run(wager, tmp_path):
    rows = [f"{i},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "wine.csv").write_text("\n".join(["x,class", *rows]))
    file = tmp_path / "p.toml"
    file.write_text(
        '[datasets.wine]\nsource = "wine.csv"\ntarget = "clas"\n[learners]\na = "vacuous"\n'
    )
    for option in ([], ["--dry"]):
        said = wager("run", file, "--out", tmp_path / "out", *option)
        assert said.exit_code == 2
        assert said.stderr == (
            "wager: p.toml: datasets.wine.target is 'clas', which is not a column of wine.csv: did "
            "you mean 'class'? choose one of x, class\n"
        )
        assert not (tmp_path / "out").exists()


def test_dry_says_which_learners_would_fail_and_exits_with_1(wager, tmp_path):
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    file = tmp_path / "p.toml"
    file.write_text('datasets = ["iris"]\n[learners]\nodd = "faulty.Strange"\nb = "vacuous"\n')
    said = wager("run", file, "--dry", "--out", tmp_path / "out", "-j", 1)
    assert said.exit_code == 1
    assert "20 units, 0 of them already done" in said.stdout
    assert "odd on iris failed: ValueError: predict returned 7 for test row 1" in said.stdout
    assert "with 1 job (1 of 1 data sets tried)" in said.stdout


def test_retry_runs_failed_units_again(wager, tmp_path):
    (tmp_path / "faulty.py").write_text((HERE / "faulty.py").read_text())
    file, out = tmp_path / "p.toml", tmp_path / "out"
    file.write_text(
        'datasets = ["iris"]\nscheme = { n_folds = 2 }\n[learners]\ngood = "faulty.Majority"\n'
        f"[learners.odd]\nlearner = 'faulty.FailsUntil'\nparams.file = '{tmp_path / 'mended'}'\n"
    )
    fill(Plan.load(file), out)
    (tmp_path / "mended").touch()
    again = wager("run", file, "--out", out)
    assert again.exit_code == 1
    assert "2 reused, 2 failed (2 of them in an earlier run)" in again.stdout
    assert "to run them again: --retry" in again.stdout
    assert "2 of 4 units done, 2 failed" in wager("results", out).stdout
    mended = wager("run", file, "--out", out, "--retry", "-j", 1)
    assert mended.exit_code == 0, mended.output
    assert "4 units: 2 done" in mended.stdout
    assert "2 reused, 0 failed" in mended.stdout


def test_the_example_is_a_plan_that_runs(wager, tmp_path):
    said = wager("run", "--example")
    assert said.exit_code == 0
    plan = tmp_path / "plan.toml"
    plan.write_text(said.stdout)
    loaded = Plan.load(plan)
    assert loaded.check().keys() == {"iris"}
    assert {unit.label for unit in loaded.units()} == {"bayes", "credal[s=1]", "credal[s=2]"}
    commented = said.stdout.replace("# [datasets", "[datasets")
    for key in ("source", "target", "drop"):
        commented = commented.replace(f"# {key}", key)
    (tmp_path / "data").mkdir()
    rows = [f"{i},{i % 7},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "data" / "wine.csv").write_text("\n".join(["id,x,class", *rows]))
    plan.write_text(commented)
    assert Plan.load(plan).check()["wine"].n_columns == 1


def test_run_exits_with_2_if_a_data_set_does_not_exist(wager, tmp_path):
    file = tmp_path / "p.toml"
    file.write_text('datasets = ["nowhere"]\n[learners]\na = "vacuous"\n')
    said = wager("run", file, "--out", tmp_path / "out")
    assert said.exit_code == 2
    assert "there is no data set 'nowhere'" in said.stderr
    assert not (tmp_path / "out").exists()


def test_run_exits_with_1_if_the_folder_cannot_be_written_to(wager, plan_file, tmp_path):
    said = wager("run", plan_file, "--out", plan_file / "inside")
    assert said.exit_code == 1
    assert "cannot write to" in said.stderr


def test_run_refuses_a_store_that_another_run_writes_to(wager, plan_file, store):
    with sole_writer(store.path):
        said = wager("run", plan_file, "--out", store.path)
    assert said.exit_code == 1
    assert "another run" in said.stderr


def test_dry_lists_the_units_and_estimates_the_time(wager, plan_file, tmp_path):
    said = wager("run", plan_file, "--dry", "--out", tmp_path / "none", "-j", 1)
    assert said.exit_code == 0, said.output
    assert "40 units, 0 of them already done" in said.stdout
    assert "of 2 data sets tried" in said.stdout
    assert not (tmp_path / "none").exists()


def test_dry_tries_nothing_if_all_is_done(wager, plan_file, store):
    said = wager("run", plan_file, "--dry", "--out", store.path)
    assert said.stdout == "40 units, 40 of them already done\n"
