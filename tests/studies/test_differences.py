"""Results that are compared with stored tables, and the totals of all verdicts."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from tests.studies.computed import report_of
from wager.cli import app
from wager.experiments import studies
from wager.experiments.studies import Claim, Finding, StudyReport, StudyTable, Verdict
from wager.experiments.study import (
    STORED_SEED,
    StudyRun,
    differences,
    read_runs,
    record_run,
    write_overview,
)  # fmt: skip
from wager.experiments.study._differences import differs
from wager.experiments.study._overview import matrix, verdict_counts

TABLE = StudyTable("Means", ("learner", "u65"), [("NCC", 0.123456), ("NBC", 0.5)])
CLAIM = Claim("2012, 9.2", "they differ", Verdict.REPRODUCED, "p = 0.012")
REPORT = StudyReport(
    "zaffalon-bets",
    "Paper (2012)",
    "Shows.",
    "Bets",
    "zaffalon-2012",
    tables=[TABLE],
    claims=[CLAIM],
    findings=[Finding("is it so?", "yes", "3 of 4")],
)


@pytest.fixture
def reports(monkeypatch):
    """Studies whose report is known at once; another seed changes its numbers, not its verdict."""

    def report(self, store=None, *, seed=None):
        rows = [(name, value + (seed or 0)) for name, value in TABLE.rows]
        return replace(REPORT, name=self.name, tables=[replace(TABLE, rows=rows)])

    monkeypatch.setattr(studies.Study, "report", report)


@given(st.integers(-(10**6), 10**6), st.integers(1, 5), st.integers(-1, 1))
def test_numbers_within_one_unit_of_the_last_digit_are_equal(number, decimals, step):
    a, b = (f"mean {x / 10**decimals:.{decimals}f} of 3" for x in (number, number + step))
    far = f"mean {(number + 2) / 10**decimals:.{decimals}f} of 3"
    assert not differs(a, b)
    assert differs(a, far)


@given(st.floats(1e-6, 1e6), st.floats(4e-5, 1))
def test_cells_of_one_number_are_equal_to_six_digits(number, change):
    stored, near, far = (f"{number * f:.6g}" for f in (1, 1 + 1e-7, 1 + change))
    assert not differs(stored, near)
    assert differs(stored, far)


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ("NCC", "NBC"),
        ("1 of 2", "1 of"),
        ("1 of 2", "2 of 2"),
        ("0.5", "-"),
        ("reproduced", "not reproduced"),
    ],
)
def test_other_words_differ(stored, found):
    assert differs(stored, found)


@pytest.mark.parametrize(
    ("stored", "found"), [("1000000", "1000001"), ("12", "13"), ("1,234", "1,235")]
)
def test_a_cell_that_is_one_whole_number_must_be_equal(stored, found):
    assert differs(stored, found)


def test_a_report_equals_its_own_tables(tmp_path):
    REPORT.write(tmp_path)
    found = differences(REPORT, tmp_path / "results")
    assert not list(found)
    cells = [len(table.headers) * len(table.rows) for table in REPORT.all_tables()]
    assert found.compared == sum(cells)
    assert differences(REPORT, tmp_path / "results", only_verdicts=True).compared == 2


def test_what_differs_is_named(tmp_path):
    REPORT.write(tmp_path)
    other = replace(
        REPORT,
        tables=[replace(TABLE, rows=[("NCC", 0.1235), ("NBC", 0.5)])],
        claims=[replace(CLAIM, verdict=Verdict.NOT_REPRODUCED)],
    )
    found = [str(d) for d in differences(other, tmp_path / "results")]
    assert found == [
        "zaffalon-bets, conclusions-of-the-paper.csv, row 1, verdict: "
        "stored 'reproduced', now 'not reproduced'",
        "zaffalon-bets, means.csv, row 1, u65: stored '0.123456', now '0.1235'",
    ]
    verdicts = list(differences(other, tmp_path / "results", only_verdicts=True))
    assert [d.place for d in verdicts] == ["row 1, verdict"]


def test_tables_that_come_or_go_or_change_their_shape_are_named(tmp_path):
    REPORT.write(tmp_path)
    more = replace(TABLE, title="More")
    longer = replace(TABLE, rows=[*TABLE.rows, ("CMA", 0.7)])
    found = list(differences(replace(REPORT, tables=[longer, more]), tmp_path / "results"))
    assert [(d.table, d.place) for d in found] == [
        ("means.csv", "its shape"),
        ("more.csv", "a table that is not stored"),
    ]
    fewer = list(differences(replace(REPORT, tables=[]), tmp_path / "results"))
    assert [(d.table, d.place) for d in fewer] == [("means.csv", "stored, but not found now")]


def test_totals_count_every_verdict_by_paper(tmp_path):
    second = replace(CLAIM, where="2011, 3", verdict=Verdict.CONTRADICTION)
    replace(REPORT, claims=[CLAIM, CLAIM, second]).write(tmp_path)
    found = verdict_counts(tmp_path / "results", "zaffalon-bets")
    assert found == {
        "2012": {"reproduced": 2},
        "2011": {"the paper contradicts itself": 1},
    }
    write_overview(tmp_path, [studies.get("zaffalon-bets")])
    page = (tmp_path / "reproduction" / "index.md").read_text()
    assert (
        '<td>Zaffalon, Corani &amp; Mauá (2012)</td><td class="verdict reproduced">2</td>' in page
    )
    assert '<td class="verdict the-paper-contradicts-itself">1</td>' in page
    assert "[" + studies.get("zaffalon-bets").title + "]" in page


def test_names_in_totals_are_text():
    from collections import Counter

    assert "<th>&lt;b&gt;</th>" in matrix({"a": Counter(reproduced=1)}, "<b>")


def test_all_studies_or_one_must_be_named():
    for arguments in ([], ["zaffalon-bets", "--all"]):
        said = CliRunner().invoke(app, ["study", "run", *arguments])
        assert said.exit_code == 2
        assert said.stderr == (
            "wager: give the name of a study or --all; wager study list shows the names\n"
        )


@pytest.mark.usefixtures("reports")
def test_a_run_ends_with_what_differs_from_stored_tables(tmp_path):
    name = "zaffalon-bets"  # a study without a run
    studies.get(name).report().write(tmp_path)
    command = ["study", "run", name, "--against", str(tmp_path / "results")]
    same = CliRunner().invoke(app, command)
    assert same.exit_code == 0, same.output
    assert "cells of one study equal those" in same.stdout
    table = tmp_path / "results" / name / "means.csv"
    table.write_text(table.read_text().replace(",0.", ",1."))
    other = CliRunner().invoke(app, command)
    assert other.exit_code == 1
    assert f"{name}, {table.name}, row" in other.stdout
    seeded = CliRunner().invoke(app, [*command, "--seed", "2"])
    assert seeded.exit_code == 0
    missing = CliRunner().invoke(app, ["study", "run", name, "--against", "nowhere"])
    assert missing.stderr == "wager: --against nowhere: there is no such folder; name another one\n"


def test_all_studies_run_into_folders_of_their_own_and_say_how_long_is_left(tmp_path, monkeypatch):
    started = []

    def note(self, folder, **settings):
        started.append((self.name, folder, settings["seed"]))

    monkeypatch.setattr(studies.Study, "run", note)
    said = CliRunner().invoke(app, ["study", "run", "--all", "-o", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert started == [(name, tmp_path / name, None) for name in studies.names()]
    first = said.stderr.splitlines()[0]
    assert first.startswith(f"1 of {len(started)}: {started[0][0]}; about ")
    assert first.endswith(" minutes left in all")


@pytest.mark.usefixtures("reports")
def test_a_study_that_cannot_be_compared_does_not_end_the_run_of_all(tmp_path, monkeypatch):
    results = tmp_path / "results"
    names = ("zaffalon-bets", "hope-korb-rewards", "betting-general-costs")
    for name in names[::2]:
        studies.get(name).report().write(tmp_path / "docs")
    (tmp_path / "docs" / "results").rename(results)
    (results / names[1]).mkdir()
    monkeypatch.setattr(studies, "names", lambda: names)
    report = studies.Study.report

    def broken(self, *args, **settings):
        if self.name == names[1]:
            raise ValueError("the store is damaged")
        return report(self, *args, **settings)

    monkeypatch.setattr(studies.Study, "report", broken)
    said = CliRunner().invoke(app, ["study", "run", "--all", "--against", str(results)])
    assert said.exit_code == 1
    assert "wager: the store is damaged\n" in said.stderr
    assert "cells of 2 studies equal those" in said.stdout


def test_another_seed_leaves_out_studies_with_the_random_numbers_of_their_paper(
    tmp_path, monkeypatch
):
    started = {}

    def note(self, folder, **settings):
        started[self.name] = (folder, settings["seed"])

    monkeypatch.setattr(studies.Study, "run", note)
    said = CliRunner().invoke(app, ["study", "run", "--all", "-o", str(tmp_path), "--seed", "3"])
    assert said.exit_code == 0, said.output
    left_out = {"zaffalon-2012-nbc-ncc", "zaffalon-2012-credal", "zaffalon-2012-ndc"}
    assert set(started) == set(studies.names()) - left_out
    assert all(started[n] == (tmp_path / f"{n}-seed-3", 3) for n in started)
    first = said.stderr.splitlines()[0]
    assert first.startswith("left out, since they use the random numbers of their paper: ")
    assert left_out == set(first.partition(": ")[2].split(", "))


@pytest.mark.parametrize("name", ["zaffalon-2012-nbc-ncc", "zaffalon-2012-credal"])
def test_random_numbers_of_the_paper_are_the_folds_of_weka_alone(name):
    plan = studies.get(name).plan("openml", False)
    assert plan.scheme.folds == "weka"
    assert not any("random_state" in str(spec.params) for spec in plan.learners.values())


@pytest.mark.long
def test_a_study_that_draws_without_a_run_can_draw_others():
    study = studies.get("zaffalon-bets")
    usual = report_of(study.name).claims
    again, other = (study.report(seed=seed).claims for seed in (None, 2))
    assert usual == again
    assert usual != other
    assert [claim.verdict for claim in usual] == [claim.verdict for claim in other]


# -- the record of runs --------------------------------------------------------------------------


@pytest.mark.usefixtures("reports")
def test_a_run_is_recorded_and_a_later_one_replaces_it(tmp_path):
    name, record, stored = "hope-korb-rewards", tmp_path / "runs.csv", tmp_path / "results"
    report = studies.get(name).report()
    report.write(tmp_path)
    command = ["study", "run", name, "--against", str(stored), "--record", str(record)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, [*command, "--seed", "2"]).exit_code == 0
    cells, verdicts = differences(report, stored).compared, len(report.claims + report.findings)
    assert read_runs(record) == [
        StudyRun(name, STORED_SEED, 0, 0, cells, 0),
        StudyRun(name, 2, 0, 0, verdicts, 0),
    ]
    (stored / name / "means.csv").unlink()
    assert CliRunner().invoke(app, command).exit_code == 1
    assert [run.different for run in read_runs(record)] == [1, 0]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a,b\n1,2\n", "is not a record of runs, whose columns are study, seed, fits"),
        (
            "study,seed,fits,failed,compared,different\nx,1,2,3,4,five\n",
            "has a cell that is not a whole number in line 2",
        ),
        ("study,seed,fits,failed,compared,different\nx,1,2\n", "in line 2"),
    ],
)
def test_a_file_that_is_no_record_is_refused_before_the_run(text, wrong, tmp_path):
    record = tmp_path / "runs.csv"
    record.write_text(text)
    command = ["study", "run", "hope-korb-rewards", "--against", str(tmp_path)]
    said = CliRunner().invoke(app, [*command, "--record", str(record)])
    assert said.exit_code == 2
    assert wrong in said.stderr
    assert record.read_text() == text


def test_a_record_needs_tables_to_compare_with(tmp_path):
    said = CliRunner().invoke(
        app, ["study", "run", "hope-korb-rewards", "--record", str(tmp_path / "runs.csv")]
    )
    assert said.exit_code == 2
    assert said.stderr == "wager: --record counts what differs from stored tables: add --against\n"


def test_a_record_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    command = ["study", "run", "hope-korb-rewards", "--against", str(tmp_path), "--record"]
    for record, wrong in (
        (tmp_path, f"--record {tmp_path} is a folder: name a CSV file"),
        (tmp_path / "no" / "runs.csv", f"make the folder {tmp_path / 'no'} first"),
    ):
        said = CliRunner().invoke(app, [*command, str(record)])
        assert said.exit_code == 2
        assert wrong in said.stderr
        assert said.stdout == ""


@pytest.mark.usefixtures("reports")
def test_the_seed_of_the_stored_tables_compares_all_cells(tmp_path):
    studies.get("zaffalon-bets").report().write(tmp_path)
    command = ["study", "run", "zaffalon-bets", "--against", str(tmp_path / "results")]
    usual, same = (
        CliRunner().invoke(app, [*command, *more]).stdout
        for more in ([], ["--seed", str(STORED_SEED)])
    )
    assert usual == same
    assert " cells of one study equal those" in same


def test_the_first_page_shows_the_record(tmp_path):
    REPORT.write(tmp_path)
    record = tmp_path / "results" / "runs.csv"
    record_run(record, StudyRun("zaffalon-bets", STORED_SEED, 1200, 3, 75, 2))
    record_run(record, StudyRun("zaffalon-2012-credal", STORED_SEED, 44_000, 0, 2310, 0))
    record_run(record, StudyRun("hope-korb-rewards", 2, 0, 0, 17, 0))
    write_overview(tmp_path, [studies.get(name) for name in studies.names()])
    page = (tmp_path / "reproduction" / "index.md").read_text()
    assert "| `zaffalon-bets` | 1,200 | 2 of 75, 3 fits failed | not run |" in page
    assert "| `zaffalon-2012-credal` | 44,000 | 0 of 2,310 | random numbers of the paper |" in page
    assert "| `hope-korb-rewards` | 0 | not run | 0 of 17 |" in page
