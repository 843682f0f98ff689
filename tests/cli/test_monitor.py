"""``wager monitor``: exit status, state, and what is printed."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.report import LogMonitor, monitor_log
from wager.rewards import Tally

FULL = Path("/dev/full")


def run(*words):
    return CliRunner().invoke(app, ["monitor", *map(str, words)])


def lines(n, accuracy, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(list("abc"), n)
    hit = rng.random(n) < accuracy
    return "".join(
        f"{y},{y if h else 'abc'['abc'.index(y) - 1]}\n" for y, h in zip(truth, hit, strict=True)
    )


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("y_true,y_pred\n" + lines(600, 0.95))
    return path


def test_calm_is_0_an_alert_is_1_and_it_stays(log):
    calm = run(log, "--coverage", 0.9, "--window", 200)
    assert calm.exit_code == 0, calm.output
    assert "no evidence of a mean below 0.9000 after 600 rows" in calm.output
    with log.open("a") as file:
        file.write(lines(300, 0.5, seed=1))
    alert = run(log)
    assert alert.exit_code == 1
    assert "alert: coverage is below 0.9000" in alert.output
    assert "601-800" in alert.output
    again = run(log)
    assert again.exit_code == 1
    assert again.output == alert.output


def test_json_says_what_the_state_says(log, tmp_path):
    state = tmp_path / "state.json"
    data = json.loads(run(log, "--target", 0.9, "--state", state, "--format", "json").stdout)
    assert data["alert"] is False
    assert data["rows"] == 600
    assert data["bytes"] == log.stat().st_size
    (test,) = data["tests"]
    assert (test["measure"], test["target"], test["alert_at"]) == ("u65", 0.9, None)
    saved = LogMonitor.from_json(state.read_text())
    assert saved.monitor.tests[0].e_value == test["e_value"]
    assert [part["rows"] for part in data["windows"]] == [600]


def test_runs_in_pieces_write_the_state_of_one_run(log, tmp_path):
    whole = log.read_text()
    options = {"coverage": 0.9, "mean_utility": 0.8, "window": 70}
    monitor_log(log, tmp_path / "whole.json", **options)
    for end in (5, 100, 1000, 1001, len(whole)):
        log.write_text(whole[:end])
        monitor_log(log, tmp_path / "parts.json", **options)
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_state_does_not_pass_over_rows_that_could_not_be_shown(log):
    assert run(log, "--coverage", 0.9).exit_code == 0
    state = log.with_name("log.csv.monitor.json")
    before = state.read_bytes()
    with log.open("a") as file:
        file.write(lines(300, 0.5, seed=1))
    failed = run(log, "-o", FULL)
    assert (failed.exit_code, failed.stdout) == (2, "")
    assert failed.stderr == "wager: cannot write the output: no space left on device\n"
    assert state.read_bytes() == before
    assert sorted(path.name for path in log.parent.iterdir()) == [log.name, state.name]
    assert run(log, "-o", log.with_name("out.txt")).exit_code == 1
    assert state.read_bytes() != before


def test_a_state_that_cannot_be_written_leaves_no_output(log, tmp_path):
    found = run(log, "--coverage", 0.9, "--state", tmp_path / "no" / "s", "-o", tmp_path / "out")
    assert found.exit_code == 2
    assert found.stderr.endswith("make the folder " + str(tmp_path / "no") + " first\n")
    assert list(tmp_path.iterdir()) == [log]


def test_the_output_is_not_the_state(log):
    state = log.with_name("log.csv.monitor.json")
    found = run(log, "--coverage", 0.9, "-o", state)
    assert found.exit_code == 2
    assert found.stderr == f"wager: {state} is the state: choose another name for --output\n"
    assert not state.exists()


def test_references_are_prediction_files_and_tallies(log, tmp_path):
    test = tmp_path / "test.csv"
    test.write_text("y_true,y_pred\n" + lines(400, 0.95, seed=3))
    rows = [line.split(",") for line in test.read_text().splitlines()[1:]]
    tally = tmp_path / "tally.json"
    tally.write_text(Tally.of([y for y, _ in rows], [p for _, p in rows]).to_json())
    found = []
    for reference in (test, tally):
        state = tmp_path / f"{reference.stem}.state.json"
        assert run(log, "--reference", reference, "--state", state).exit_code == 0
        found.append(LogMonitor.from_json(state.read_text()).monitor)
    assert found[0] == found[1]
    assert [t.measure for t in found[0].tests] == ["coverage", "u65"]


@pytest.mark.parametrize(
    ("options", "header", "row"),
    [
        (("--pred", "new"), "y_true,y_pred,new", "{y},{y},{p}"),
        (("--truth", "seen"), "y_true,seen,y_pred", "{p},{y},{p}"),
        (("--form", "label"), "y_true,set,y_pred", "{y},{y},{p}"),
        (("--na", "drop"), "y_true,y_pred,note", "{y},{p},x\n,a,x"),
    ],
)
def test_a_reference_is_read_as_the_log_is(tmp_path, options, header, row):
    plain = tmp_path / "plain.csv"
    plain.write_text("y_true,y_pred\n" + lines(400, 0.7))
    rows = [line.split(",") for line in plain.read_text().splitlines()[1:]]
    text = "\n".join([header, *(row.format(y=y, p=p) for y, p in rows)]) + "\n"
    log, reference = tmp_path / "log.csv", tmp_path / "reference.csv"
    log.write_text(text)
    reference.write_text(text)
    found = run(log, "--reference", reference, *options, "--format", "json")
    assert found.exit_code == 0, found.output
    expected = run(plain, "--reference", plain, "--format", "json")
    assert json.loads(found.stdout)["tests"] == json.loads(expected.stdout)["tests"]


def test_a_header_that_is_written_again_is_no_row(log):
    assert run(log, "--coverage", 0.9).exit_code == 0
    with log.open("a") as file:
        file.write(lines(3, 1) + "y_true,y_pred\n" + lines(2, 1))
    found = run(log)
    assert found.exit_code == 2
    assert found.stderr == (
        f"wager: {log}: row 604 repeats the header, with y_true as the true class: a log has one "
        "header\n"
    )


def test_a_reference_of_several_kinds_is_refused(log, tmp_path):
    reference = tmp_path / "reference.csv"
    reference.write_text("y_true,y_pred,set\na,b,a|b\n")
    found = run(log, "--reference", reference)
    assert found.exit_code == 2
    assert "predictions are stated in 2 forms" in found.stderr


def test_a_quote_in_an_unquoted_field_hides_no_rows(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text('id,y_true,set\n5" pipe,a,a\n' + "".join(f"{i},a,b\n" for i in range(16000)))
    found = run(log, "--coverage", 0.9)
    assert found.exit_code == 1, found.output
    assert json.loads(run(log, "--format", "json").stdout)["rows"] == 16_001


def test_every_looks_until_there_is_an_alert(log, monkeypatch):
    looks = []

    def wait(seconds):
        looks.append(seconds)
        with log.open("a") as file:
            file.write(lines(100, 0.3, seed=len(looks)))

    monkeypatch.setattr("time.sleep", wait)
    found = run(log, "--coverage", 0.9, "--every", 5)
    assert found.exit_code == 1
    assert looks
    assert set(looks) == {5}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a reference (--reference), a coverage (--coverage) or a mean utility (--target)"),
        (["--coverage", "1.5"], "the target of coverage must lie between 0 and 1, got 1.5"),
        (["--reference", "none.csv"], "none.csv"),
        (["--coverage", "0.9", "--truth", "label"], "label"),
    ],
)
def test_wrong_input_is_2_and_writes_no_state(log, words, said):
    found = run(log, *words)
    assert found.exit_code == 2
    assert said in found.output
    assert not log.with_name("log.csv.monitor.json").exists()


def test_other_options_than_those_of_the_state_are_refused(log):
    run(log, "--coverage", 0.9)
    found = run(log, "--coverage", 0.8)
    assert found.exit_code == 2
    assert "was begun with coverage 0.9, not 0.8" in found.output


@pytest.mark.parametrize(
    ("options", "header", "row"),
    [
        (("--pred", "new"), "y_true,y_pred,new", "{p},{p},{y}"),
        (("--truth", "seen"), "y_true,seen,y_pred", "{p},{y},{p}"),
        (("--na", "drop"), "y_true,y_pred,note", "{y},{p},x\n,a,x"),
        (("--classes", "a,b,c,NA"), "y_true,y_pred,note", "{y},{p},x\nNA,NA,x"),
        (("--form", "label"), "y_true,set,y_pred", "{y},{y},{p}"),
    ],
)
def test_how_the_log_is_read_need_not_be_repeated(tmp_path, options, header, row):
    log, whole, parts = (tmp_path / name for name in ("log.csv", "whole.json", "parts.json"))
    rows = [line.split(",") for line in lines(300, 0.8).splitlines()]
    text = [row.format(y=y, p=p) + "\n" for y, p in rows]
    log.write_text("".join([header + "\n", *text[:200]]))
    assert run(log, "--coverage", 0.5, "--state", parts, *options).exit_code == 0
    with log.open("a") as file:
        file.writelines(text[200:])
    again = run(log, "--state", parts)
    assert again.exit_code == 0, again.output
    assert run(log, "--coverage", 0.5, "--state", whole, *options).exit_code == 0
    assert parts.read_bytes() == whole.read_bytes()


def test_another_column_or_form_than_before_is_refused(log):
    log.write_text("y_true,y_pred,new,set\n" + "a,a,b,b\n" * 9)
    assert run(log, "--coverage", 0.9, "--form", "label", "--pred", "new").exit_code == 1
    for options, said in [
        (("--pred", "y_pred"), "was begun with y_pred in column new, not y_pred"),
        (("--truth", "set"), "was begun with y_true in column y_true, not set"),
        (("--form", "set"), "was begun with form label, not set"),
    ]:
        found = run(log, *options)
        assert found.exit_code == 2
        assert said in found.stderr


def test_an_older_state_does_not_say_how_the_log_is_read(log):
    state = log.with_name("log.csv.monitor.json")
    run(log, "--coverage", 0.9)
    data = json.loads(state.read_text())
    del data["settings"]["reading"]
    state.write_text(json.dumps(data))
    assert run(log, "--truth", "y_true", "--na", "drop").exit_code == 0
    assert json.loads(state.read_text())["settings"]["reading"]["na"] == "drop"


def test_a_rewritten_log_and_a_foreign_state_are_refused(log, tmp_path):
    run(log, "--coverage", 0.9)
    log.write_text("y_true,y_pred\n" + lines(600, 0.95, seed=9))
    found = run(log)
    assert found.exit_code == 2
    assert "log.csv was rewritten" in found.output
    foreign = tmp_path / "foreign.json"
    foreign.write_text("{}")
    found = run(log, "--state", foreign)
    assert found.exit_code == 2
    assert "is not the state of a monitor: it has another format" in found.output


def test_an_empty_log_waits(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("")
    found = run(log, "--coverage", 0.9)
    assert found.exit_code == 0, found.output
    assert "no rows yet" in found.output


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("log", "bytes"), float("inf")),
        (("log", "rows"), -1),
        (("log", "left_out"), "many"),
        (("log",), []),
        (("monitor", "window"), 0),
        (("monitor", "windows"), []),
        (("monitor", "total", 0, 0), 10**9),
        (("monitor", "tests", 0, "measure"), "u80"),
        (("settings",), 3),
        (("settings", "reading"), []),
        (("settings", "reading"), {"form": "label"}),
        (("settings", "reading", "columns"), "y_pred"),
        (("settings", "reading", "form"), ["label"]),
    ],
)
def test_a_hostile_state_is_one_sentence(place, value, log):
    assert run(log, "--coverage", 0.9).exit_code == 0
    state = log.with_name(f"{log.name}.monitor.json")
    data = part = json.loads(state.read_text())
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    state.write_text(json.dumps(data))
    done = run(log)
    assert done.exit_code == 2, done.exception
    assert f"{state} is not the state of a monitor" in done.stderr


@pytest.mark.parametrize("content", [b"[" * 10**5, b"\xff\xfe\x00", b'{"format": 1}'])
def test_what_is_not_a_state_is_named(content, log):
    state = log.with_name(f"{log.name}.monitor.json")
    state.write_bytes(content)
    done = run(log, "--coverage", 0.9)
    assert done.exit_code == 2, done.exception
    assert f"{state} is not the state of a monitor" in done.stderr


def test_a_large_file_is_not_read_as_a_state(log):
    state = log.with_name(f"{log.name}.monitor.json")
    with state.open("wb") as file:
        file.truncate(1 << 30)  # takes no space on the disk
    assert "it is too large" in run(log, "--coverage", 0.9).stderr


def test_a_folder_and_a_percentage_are_refused_with_a_hint(log, tmp_path):
    (tmp_path / "logs").mkdir()
    assert "is a folder: name the log" in run(tmp_path / "logs", "--coverage", 0.9).stderr
    assert "got 90: 90% is 0.9" in run(log, "--coverage", 90).stderr
