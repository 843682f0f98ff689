"""``wager compare``: the numbers of the library, and one sentence for every mistake."""

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.compare import compare_probability_files, head_to_head
from wager.predictions import write_predictions

LABELS = np.array(["no", "yes"])


def compare(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    n = 1500
    y, hard = rng.integers(0, 2, n), rng.random(n) < 0.4
    plain = np.where(rng.random(n) < np.where(hard, 0.7, 0.95), y, 1 - y)
    sets = np.eye(2, dtype=bool)[plain] | hard[:, None]
    return y, sets, plain


@pytest.fixture
def files(data, tmp_path):
    y, sets, plain = data
    write_predictions(tmp_path / "ncc.csv", LABELS[y], sets=sets, classes=LABELS)
    write_predictions(tmp_path / "nbc.parquet", LABELS[y], y_pred=LABELS[plain], classes=LABELS)
    return tmp_path / "ncc.csv", tmp_path / "nbc.parquet"


def test_text_has_scores_differences_break_even_dominance_and_advice(data, files):
    y, sets, plain = data
    expected = head_to_head(LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, classes=LABELS)
    result = compare(*files)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.rstrip() == repr(expected)
    for words in (
        "ncc and nbc on the same 1500 rows, 2 classes",
        "ncc - nbc   u50",
        "ncc scores higher than nbc for u(0.5) above",
        "opinions differ",
        "recommendation: take nbc for u(0.5) below",
    ):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_json_has_the_numbers_of_the_library(data, files):
    y, sets, plain = data
    result = compare(*files, "-u", "f1", "--names", "a,b", "--format", "json")
    found = json.loads(result.stdout)
    expected = head_to_head(LABELS[y], {"a": sets, "b": LABELS[plain]}, ["f1"], classes=LABELS)
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert list(found["scores"]["a"]) == ["f1"]
    assert found["recommended"] == expected.recommended


def test_markdown_has_tables_and_the_recommendation(files):
    result = compare(*files, "--format", "markdown")
    assert "| classifier | u50 | u65 | u80 |" in result.stdout
    assert "**Recommendation:** take nbc for u(0.5) below" in result.stdout


def test_csv_has_one_row_per_score_and_per_difference(data, files):
    y, sets, plain = data
    expected = head_to_head(LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, classes=LABELS)
    rows = list(csv.DictReader(io.StringIO(compare(*files, "--format", "csv").stdout)))
    assert [(row["classifier"], row["minus"]) for row in rows] == (
        [("ncc", "")] * 3 + [("nbc", "")] * 3 + [("ncc", "nbc")] * 3
    )
    difference = expected.difference("ncc", "nbc", "u65")
    assert [float(rows[7][key]) for key in ("mean", "low", "high", "p")] == [
        difference.effect, *difference.interval, difference.p,
    ]  # fmt: skip


def test_the_plan_says_how_many_rows_decide(data, files):
    y, sets, plain = data
    expected = head_to_head(LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, classes=LABELS)
    found = json.loads(compare(*files, "--plan", "--power", "0.9", "--format", "json").stdout)
    assert [entry["utility"] for entry in found["plan"]] == ["u50", "u65", "u80"]
    plan = expected.plan("ncc", "nbc", "u65", 0.9)
    assert found["plan"][1] == {"first": "ncc", "second": "nbc", **plan.to_dict()}
    text = compare(*files, "--plan").stdout
    assert text.startswith(repr(expected))
    assert "rows needed to decide with probability 80%, by u(0.5)" in text
    assert f"{expected.plan('ncc', 'nbc', 'u50').n:,.0f} rows (" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "| pair | 0.5 | 0.6 |" in compare(*files, "--plan", "-f", "markdown").stdout
    assert "pair & 0.5 & 0.6" in compare(*files, "--plan", "-f", "latex").stdout
    rows = list(csv.DictReader(io.StringIO(compare(*files, "--plan", "-f", "csv").stdout)))
    assert [row["rows_needed"] for row in rows[:6]] == [""] * 6
    assert int(rows[7]["rows_needed"]) == expected.plan("ncc", "nbc", "u65").n


def test_a_margin_adds_tests_of_equivalence(data, files):
    y, sets, plain = data
    expected = head_to_head(LABELS[y], {"ncc": sets, "nbc": LABELS[plain]}, classes=LABELS)
    found = json.loads(compare(*files, "--margin", "0.06", "--format", "json").stdout)
    assert "plan" not in found
    for entry, utility in zip(found["equivalence"], ("u50", "u65", "u80"), strict=True):
        outcome = expected.equivalence("ncc", "nbc", utility, 0.06)
        assert (entry["utility"], entry["verdict"]) == (utility, outcome.verdict)
        assert entry["equivalent"] == (outcome.p < 0.05)
    assert [entry["equivalent"] for entry in found["equivalence"]] == [False, True, True]
    text = compare(*files, "--margin", "0.06", "--plan").stdout
    assert "ncc and nbc are within 0.06 of each other under u65" in text
    assert text.index("rows needed") < text.index("equivalence:")
    rows = list(csv.DictReader(io.StringIO(compare(*files, "--margin", "1", "-f", "csv").stdout)))
    assert float(rows[6]["p_equivalent"]) < 1e-9


def test_the_level_of_intervals_has_two_spellings(files):
    first, second = (
        json.loads(compare(*files, option, "0.8", "--format", "json").stdout)
        for option in ("--level", "--confidence")
    )
    assert first == second
    assert first["confidence"] == 0.8


def test_the_utility_can_come_from_a_file(files, tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text('kind = "tabulated"\nvalues = [1.0, 0.9]\n')
    result = compare(*files, "-u", own)
    assert "classifier" in result.stdout
    assert result.stdout.split("classifier")[1].split()[0] == "mine"
    own.write_text('name = "my patients"\nkind = "tabulated"\nvalues = [1.0, 0.9]\n')
    found = json.loads(compare(*files, "-u", own, "-f", "json").stdout)
    assert list(found["scores"]["ncc"]) == ["my patients"]


def test_two_utilities_of_one_name_are_one_sentence_and_the_same_one_counts_once(files, tmp_path):
    for folder, value in (("a", 0.9), ("b", 0.8)):
        (tmp_path / folder).mkdir()
        text = f'kind = "tabulated"\nvalues = [1.0, {value}]\n'
        (tmp_path / folder / "mine.toml").write_text(text)
    first, second = tmp_path / "a" / "mine.toml", tmp_path / "b" / "mine.toml"
    result = compare(*files, "-u", first, "-u", second)
    assert result.exit_code == 2
    assert f"{second}: two utilities are called 'mine'" in result.stderr
    once = json.loads(compare(*files, "-u", first, "-u", first, "-f", "json").stdout)
    assert list(once["scores"]["ncc"]) == ["mine"]


def test_the_risk_profile_is_drawn(files, tmp_path):
    picture = tmp_path / "profile.png"
    assert compare(*files, "--plot", picture).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_mistakes_are_one_sentence_and_exit_status_2(data, files, tmp_path):
    y, sets, _ = data
    ncc, nbc = files
    short = tmp_path / "short.csv"
    write_predictions(short, LABELS[y[:9]], sets=sets[:9], classes=LABELS)
    other = tmp_path / "other.csv"
    write_predictions(other, LABELS[1 - y], sets=sets, classes=LABELS)
    for arguments, words in (
        ([ncc], "at least 2 prediction files, got 1"),
        ([ncc, ncc], "is given more than once"),
        ([ncc, short], "has 1500 rows but"),
        ([ncc, other], "y_true is"),
        ([ncc, tmp_path / "none.csv"], "none.csv: no such file"),
        ([ncc, nbc, "--names", "a"], "1 name was given for 2 files"),
        ([ncc, nbc, "-u", "u"], "no utility called 'u'"),
        ([ncc, nbc, "--confidence", "95"], "--level must lie between 0 and 1, got 95: 95% is 0.95"),
        ([ncc, nbc, "--plan", "--power", "1"], "power must lie between 0 and 1, got 1.0"),
        ([ncc, nbc, "--margin", "0"], "margin must be positive, got 0.0"),
    ):
        result = compare(*arguments)
        assert result.exit_code == 2, words
        assert words in result.stderr
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.output


def test_files_that_also_have_probabilities_are_compared_by_their_sets(tmp_path):
    import pandas as pd

    truth = ["a", "b", "b", "a"]
    for name, sets in (("sets", ["a", "a|b", "b", "a"]), ("labels", ["a", "a", "b", "b"])):
        frame = pd.DataFrame({"y_true": truth, "set": sets, "p:a": 0.5, "p:b": 0.5})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    result = CliRunner().invoke(
        app, ["compare", str(tmp_path / "sets.csv"), str(tmp_path / "labels.csv")]
    )
    assert result.exit_code == 0, result.stderr
    assert "sets and labels on the same 4 rows" in result.stdout


# -- the folder of a run ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    from tests.experiments.filled import fill
    from wager.experiments import Plan

    folder = tmp_path_factory.mktemp("run")
    learners = {"nbc": "naive-bayes", "ncc": "naive-credal", "all": "vacuous"}
    plan = Plan(
        datasets=["iris", "wine", "breast-cancer"],
        learners=learners,
        scheme={"n_folds": 2},
        prepare={"discretize": "mdl"},
        measures=["u65"],
    )
    fill(plan, folder)
    return folder


def test_learners_of_a_run_are_compared_over_its_data_sets(run_folder):
    from wager.compare import friedman
    from wager.experiments import Store

    result = compare(run_folder, "-u", "u65", "-u", "u80")
    assert result.exit_code == 0, result.stderr
    assert "nbc, ncc and all over 3 data sets" in result.stdout
    assert friedman(Store(run_folder).scores("u80")).verdict in result.stdout
    assert "recommendation: under u65" in result.stdout


def test_two_learners_of_a_run_get_the_signed_rank_test(run_folder):
    result = compare(run_folder, "--names", "ncc,all", "--format", "json")
    found = json.loads(result.stdout)
    assert found["classifiers"] == ["ncc", "all"]
    assert found["utilities"]["u65"]["test"] == "Wilcoxon signed-rank test"
    assert "| classifier | u50 | rank |" in compare(run_folder, "--format", "markdown").stdout


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("names", ["nbc,ncc,all", "nbc,ncc"])
def test_the_learners_of_a_run_are_drawn(run_folder, tmp_path, ending, names):
    picture = tmp_path / f"run.{ending}"
    result = compare(run_folder, "--names", names, "-u", "u65", "--plot", picture)
    assert result.exit_code == 0, result.stderr
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert picture.read_bytes().startswith(start)


def test_a_narrow_terminal_gets_all_parts_in_lines_that_fit(files):
    from wager.cli._options import OutputFormat
    from wager.cli._render import render
    from wager.cli.compare import _printout
    from wager.compare import compare_files

    found = compare_files(files)
    text = render(_printout(found), OutputFormat.text, width=80)
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.split())
    for sentence in (found.note, *found.sentences(), f"recommendation: {found.recommendation}"):
        assert " ".join(sentence.split()) in flat


def test_mistakes_about_a_run_are_sentences(run_folder, files, tmp_path):
    for arguments, words in (
        ([run_folder, files[0]], "the results folder of one run, or prediction files, not both"),
        ([run_folder, "--names", "nbc,svm"], "no learner 'svm': choose from 'nbc', 'ncc', 'all'"),
        ([run_folder, "--plot", tmp_path / "p.gif"], "p.gif: a picture is a PNG, SVG or PDF file"),
        (
            [run_folder, "--plan"],
            "--plan and --margin are for prediction files: leave them out for",
        ),
        ([tmp_path], str(tmp_path)),
    ):
        result = compare(*arguments)
        assert result.exit_code == 2, words
        assert words in result.stderr


def test_a_column_of_one_file_names_the_clusters(data, files, tmp_path):
    y, sets, plain = data
    patient = np.array([f"patient {i // 10}" for i in range(len(y))])
    visits = tmp_path / "visits.csv"
    write_predictions(visits, LABELS[y], sets=sets, classes=LABELS, group=patient)
    names = ["--names", "a,b", "--format", "json"]
    result = compare(visits, files[1], "--cluster", "group", *names)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    both = {"a": sets, "b": LABELS[plain]}
    expected = head_to_head(LABELS[y], both, classes=LABELS, groups=patient).to_dict()
    for utility in ("u50", "u65", "u80"):
        one, other = (h["pairs"][0]["differences"][utility] for h in (found, expected))
        assert one["interval"] == pytest.approx(other["interval"], rel=1e-10)
        assert one["p"] == pytest.approx(other["p"], rel=1e-8)
    plain_rows = json.loads(compare(visits, files[1], *names).stdout)
    assert plain_rows["pairs"][0]["differences"]["u65"] != found["pairs"][0]["differences"]["u65"]


def test_clusters_that_are_in_no_file_are_one_sentence(files, tmp_path):
    result = compare(*files, "--cluster", "ward")
    assert result.exit_code == 2
    assert "there is no column ward among y_true, set, nor in the other files" in result.stderr
    result = compare(tmp_path, "--cluster", "ward")
    assert result.exit_code == 2
    assert result.stderr == (
        "wager: --cluster is for prediction files: leave it out for the results of a run\n"
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [("--classes", "a,b"), ("--form", "set"), ("--truth", "y"), ("--pred", "y"), ("--set", "y"),
     ("--proba-prefix", "p_"), ("--id", "n"), ("--weight", "w"), ("--count", "w"),
     ("--na", "drop"), ("--rule", "interval-dominance"), ("--memberships", "none")],
)  # fmt: skip
def test_options_about_files_are_refused_for_a_run(tmp_path, option, value):
    result = compare(tmp_path, option, value)
    assert result.exit_code == 2
    assert result.stderr == (
        f"wager: {option} is for prediction files: leave it out for the results of a run\n"
    )


def test_a_power_needs_a_plan(files):
    result = compare(*files, "--power", "0.9")
    assert result.exit_code == 2
    assert "add --plan" in result.stderr


# Probability files -------------------------------------------------------------------------------


@pytest.fixture
def probability_files(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=300))))
    sharp, dull = np.column_stack([1 - p, p]), np.column_stack([1.5 - p, 0.5 + p]) / 2
    hard = np.eye(2)[sharp.argmax(axis=1)]
    for name, proba in {"sharp": sharp, "dull": dull, "hard": hard}.items():
        write_predictions(tmp_path / f"{name}.csv", LABELS[y], proba=proba, classes=LABELS)
    return y, {name: tmp_path / f"{name}.csv" for name in ("sharp", "dull", "hard")}


def test_probability_files_are_compared_by_their_probabilities(probability_files):
    _, paths = probability_files
    expected = compare_probability_files([paths["sharp"], paths["dull"]])
    result = compare(paths["sharp"], paths["dull"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.rstrip() == repr(expected)
    found = json.loads(compare(paths["sharp"], paths["dull"], "--format", "json").stdout)
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert found["recommended"] == "sharp"
    rows = list(
        csv.DictReader(io.StringIO(compare(paths["sharp"], paths["dull"], "-f", "csv").stdout))
    )
    assert [row["score"] for row in rows[:3]] == ["information_reward", "log_loss", "brier"]
    markdown = compare(paths["sharp"], paths["dull"], "-f", "markdown").stdout
    assert "**Recommendation:** take sharp" in markdown
    assert "relative to the prior 1/2 for each class" in markdown


def test_the_prior_and_the_clip_are_printed(probability_files):
    _, paths = probability_files
    options = ("--prior", "0.7,0.3", "--clip", "1e-6")
    text = compare(paths["sharp"], paths["hard"], *options).stdout.replace("\n", " ")
    assert "relative to the prior no 0.7, yes 0.3" in text
    assert "probabilities clipped to [1e-06, 0.999999]" in text
    infinite = json.loads(compare(paths["sharp"], paths["hard"], "--format", "json").stdout)
    assert infinite["recommended"] is None
    assert "pass clip=1e-6 (--clip 1e-6)" in infinite["recommendation"]
    assert infinite["scores"]["hard"]["log_loss"]["mean"] == "inf"


def test_options_about_sets_compare_the_most_probable_classes(probability_files):
    y, paths = probability_files
    found = json.loads(compare(paths["sharp"], paths["dull"], "-u", "u65", "-f", "json").stdout)
    assert list(found["scores"]["sharp"]) == ["u65"]
    assert found["compared_as"] == "sets"
    assert "the probabilities of sharp and dull are compared as sets" in found["remark"]
    labels = paths["sharp"].with_name("labels.csv")
    write_predictions(labels, LABELS[y], y_pred=LABELS[y], classes=LABELS)
    text = compare(paths["sharp"], labels).stdout.replace("\n", " ")
    assert "the probabilities of sharp are compared as sets, by the most probable class" in text
    assert "probabilities are compared if all files have them" in text


def test_a_prior_is_for_probabilities(files):
    for option in (["--prior", "0.5,0.5"], ["--clip", "0.1"]):
        result = compare(*files, *option)
        assert result.exit_code == 2
        assert f"wager: {option[0]} is for files that are compared by their prob" in result.stderr


def test_memberships_are_compared_by_the_largest_one(data, files, tmp_path):
    y, _, plain = data
    rng = np.random.default_rng(3)
    for name in ("svm", "net"):
        scores = np.eye(2)[plain] * 2 + rng.normal(size=(len(y), 2))
        write_predictions(tmp_path / f"{name}.csv", LABELS[y], memberships=scores, classes=LABELS)
    paths = [tmp_path / "svm.csv", tmp_path / "net.csv"]
    plain_text = compare(*paths).stdout
    assert "the memberships of svm and net are compared as sets, by the class" in plain_text
    assert compare(*paths, "--memberships", "rank").stdout == plain_text
    refused = compare(*files, "--memberships", "rank")
    assert refused.exit_code == 2
    assert "--memberships is for m: columns" in refused.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--truth=label", "no column label or y_true among actual, guess: did you mean actual?"),
        ("--pred=gues", "there is no column gues among actual, guess: did you mean guess?"),
        ("--id=actul", "actual, guess, nor in the other files: did you mean actual?"),
    ],
)
def test_a_column_that_no_file_has_is_named_with_the_nearest_one(option, words, tmp_path):
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path in files:
        path.write_text("actual,guess\na,a\nb,a\n")
    result = CliRunner().invoke(
        app, ["compare", *map(str, files), "--truth=actual", "--pred=guess", option]
    )
    assert result.exit_code == 2
    assert words in result.stderr
