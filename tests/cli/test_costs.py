"""``wager costs``: audit, extend and complete cost files."""

import json

import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.costs import CostMatrix, read_costs

PLAIN = "predicted,h,b,n\nh,0,1,2\nb,1,0,2\nn,4,4,0\n"


def written(folder, text, name="costs.csv"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def table_i(tmp_path):
    return written(tmp_path, PLAIN)


def run(*words):
    return CliRunner().invoke(app, ["costs", *map(str, words)])


def test_audit_prints_the_ten_properties_and_both_verdicts(table_i):
    result = run("audit", table_i)
    assert result.exit_code == 0
    assert "choice: fits" in result.stdout
    assert "lacks the necessary 6" in result.stdout
    assert "p-discounted, r = 0.5" in result.stdout


def test_audit_gives_json(table_i):
    result = run("audit", table_i, "--rule", "p-discounted", "--r", "0.9", "--mode",
                 "mistake-averse", "--format", "json")  # fmt: skip
    report = json.loads(result.stdout)
    assert report["holds"]["6"] is True
    assert report["holds"]["7"] is False
    assert report["witnesses"]["7"]["truths"]


def test_extend_prints_what_it_would_write(table_i, tmp_path):
    out = tmp_path / "out.csv"
    printed = run("extend", table_i, "--rule", "p-discounted", "--r", "0.5")
    assert printed.exit_code == 0
    assert "h|b,0.25,0.25,2" in printed.stdout
    assert run("extend", table_i, "--r", "0.5", "-o", out).exit_code == 0
    assert out.read_text().strip() == printed.stdout.strip()
    expected = CostMatrix.from_file(table_i).extend("p-discounted", r=0.5)
    assert read_costs(out).matrix() == pytest.approx(expected.matrix())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["costs.csv", "out.csv"]


def test_csv_is_not_written_to_a_name_that_is_read_as_toml(table_i, tmp_path):
    answers = tmp_path / "answers.toml"
    answers.write_text('answer = [{set = ["h", "b"], true = "n", cost = 2}]')
    for name, words in (
        ("extended.toml", ["extend", table_i]),
        ("extended.TOML", ["extend", table_i]),
        ("extended.toml", ["complete", table_i, answers]),
    ):
        out = tmp_path / name
        result = run(*words, "-o", out)
        assert result.exit_code == 2
        assert f"{name} would contain CSV: end the name in .csv" in result.stderr
        assert not out.exists()


def test_an_extended_file_can_be_audited(table_i, tmp_path):
    out = tmp_path / "am.csv"
    assert run("extend", table_i, "--rule", "abellan-masegosa", "-o", out).exit_code == 0
    result = run("audit", out)
    assert result.exit_code == 0
    assert "filtering: fits" in result.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["audit", "COSTS", "--r", "2"], "r must lie in [0, 1], got 2.0"),
        (["extend", "COSTS", "--rule", "ha", "--delta", "0.1"], "depend only on the true class"),
        (["extend", "COSTS", "--rule", "discounted", "--r", "0.1"], "takes no options, not r"),
        (["extend", "COSTS", "--rule", "utility"], "for 0/1 costs only"),
        (["audit", "none.csv"], "none.csv: no such file to read costs from"),
        (["extend", "COSTS", "-o", "no/such/folder/out.csv"], "make the folder no/such/folder"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_status_2(table_i, words, expected):
    result = run(*[table_i if word == "COSTS" else word for word in words])
    assert result.exit_code == 2
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_a_file_with_costs_of_sets_takes_no_rule(tmp_path):
    path = written(tmp_path, PLAIN + "h|b,0.25,0.25,2\n")
    result = run("audit", path, "--rule", "discounted")
    assert result.exit_code == 2
    assert "already gives the costs of sets: leave out --rule" in result.stderr


EXPERT = """
[[answer]]
set = "h|n"
true = "n"
than = "h"
times = 3
[[answer]]
set = "h|n"
proba = { h = 0.5, n = 0.5 }
cost = 0.5
"""


def test_complete_says_what_to_do_about_costs_of_sets(tmp_path):
    costs = written(tmp_path, PLAIN + "h|b,1,1,3\n", "sets.csv")
    result = run("complete", costs, written(tmp_path, EXPERT, "answers.toml"))
    assert result.exit_code == 2
    assert "only those of single classes are wanted here: remove the sets" in result.stderr


def test_complete_uses_the_answers_of_example_7(tmp_path):
    costs = written(tmp_path, "predicted,h,n\nh,0,2\nn,4,0\n")
    answers = written(tmp_path, EXPERT, "answers.toml")
    result = run("complete", costs, answers)
    assert result.exit_code == 0
    assert "h|n,0.25,0.75" in result.stdout
    out = tmp_path / "completed.csv"
    assert run("complete", costs, answers, "--properties", "choice", "-o", out).exit_code == 0
    assert read_costs(out).cost(["h", "n"], "n") == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("answers", "options", "expected"),
    [
        (EXPERT, ["--properties", "8"], "contradict property 8"),
        (
            EXPERT,
            ["--properties", "3;4"],
            "takes whole numbers separated by commas, such as 2,3,4,5, got '3;4'",
        ),
        (EXPERT, ["--properties", "all"], "filtering, choice, got 'all'"),
        (EXPERT.replace("times", "twice"), [], "answer 1 has keys set, true, than, twice"),
        ("answers = 1", [], "[[answer]] tables and nothing else"),
        ("[[answer]", [], "this is not a valid TOML file"),
        (EXPERT.replace("h|n", "h|x"), [], "'x'"),
    ],
)
def test_answers_that_cannot_be_used_are_explained(tmp_path, answers, options, expected):
    costs = written(tmp_path, "predicted,h,n\nh,0,2\nn,4,0\n")
    result = run("complete", costs, written(tmp_path, answers, "answers.toml"), *options)
    assert result.exit_code == 2
    assert expected in result.stderr
