"""``wager fit``: the library's predictions in a file, and one sentence for every mistake."""

from datetime import date, datetime

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from wager.cli import app
from wager.cli._settings import read_settings
from wager.costs import CostMatrix, costs_to_csv
from wager.experiments.run._fit_predict import declare_classes, like
from wager.learners import (
    EnsembleCredal,
    NaiveBayes,
    NaiveCredal,
    NestedDichotomies,
    Nondeterministic,
)
from wager.learners._registry import make_learner
from wager.predictions import read_predictions
from wager.prepare import CfsSelector, Dataset, MDLDiscretizer, _chunks

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
TRAIN, TEST = np.arange(150) % 3 > 0, np.arange(150) % 3 == 0


def fit(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)])


def write_csv(path, rows, labels, columns="abcd"):
    lines = [",".join([*columns, "kind"])]
    lines += [",".join([*map(str, row), label]) for row, label in zip(rows, labels, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def files(tmp_path):
    """Iris in two CSV files."""
    train = write_csv(tmp_path / "train.csv", X[TRAIN].tolist(), NAMES[CODES[TRAIN]])
    test = write_csv(tmp_path / "test.csv", X[TEST].tolist(), NAMES[CODES[TEST]])
    return train, test, tmp_path / "out.parquet"


def test_the_file_contains_the_predictions_of_the_library(files):
    train, test, out = files
    result = fit(
        "naive-credal", train, test, "-o", out, "--target", "kind", "--set", "s=2",
        "--discretize", "mdl", "--select", "cfs",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{out}: 50 rows, sets, probabilities, intervals; trained in")
    cut = MDLDiscretizer().fit(X[TRAIN], CODES[TRAIN])
    rows, asked = cut.transform(X[TRAIN]), cut.transform(X[TEST])
    chosen = CfsSelector().fit(rows, CODES[TRAIN]).get_support()
    declared = {"n_values": cut.n_values_[chosen], "classes": range(3)}
    model = NaiveCredal(2.0, **declared).fit(rows[:, chosen], CODES[TRAIN])
    said = read_predictions(out, form="set")
    assert said.classes.tolist() == NAMES.tolist()
    np.testing.assert_array_equal(said.codes, CODES[TEST])
    np.testing.assert_array_equal(said.sets.to_indicator(), model.predict_set(asked[:, chosen]))
    np.testing.assert_allclose(
        read_predictions(out, form="p").proba, model.predict_proba(asked[:, chosen])
    )
    found = read_predictions(out, form="interval").intervals
    expected = model.predict_credal(asked[:, chosen])
    np.testing.assert_allclose(found.lower, expected.lower)
    np.testing.assert_allclose(found.upper, expected.upper)


@pytest.mark.parametrize(
    ("learner", "settings", "contents"),
    [
        ("naive-bayes", [], "sets, probabilities"),
        ("vacuous", [], "sets, probabilities, intervals"),
        ("random-class", [], "sets"),
        ("nondeterministic", ["estimator=naive-bayes", "beta=2"], "sets, probabilities"),
        ("rejecting", ["estimator=naive-bayes", "threshold=0.9"], "sets, probabilities"),
        ("optimal-sets", ["estimator=naive-bayes", "utility=u80"], "sets, probabilities"),
        ("conformal", ["estimator=naive-bayes", "alpha=0.2"], "sets, probabilities"),
        (
            "ensemble-credal",
            ["estimator=sklearn.ensemble.RandomForestClassifier", "estimator__n_estimators=5"],
            "sets, probabilities, intervals",
        ),
        ("sklearn.svm.SVC", [], "sets"),
    ],
)
def test_every_kind_of_learner_writes_a_file_that_can_be_scored(files, learner, settings, contents):
    train, test, out = files
    given = [part for setting in settings for part in ("--set", setting)]
    result = fit(learner, train, test, "-o", out, "--target", "kind", *given)
    assert result.exit_code == 0, result.stderr
    assert f"50 rows, {contents};" in result.stdout
    scored = CliRunner().invoke(app, ["score", str(out)])
    assert scored.exit_code == 0, scored.stderr
    assert "u65" in scored.stdout


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow", "csv.gz"])
def test_every_format_has_the_same_predictions(files, tmp_path, ending):
    train, test, out = files
    again = tmp_path / f"again.{ending}"
    for path in (out, again):
        assert fit("naive-bayes", train, test, "-o", path, "--target", "kind").exit_code == 0
    first, second = (read_predictions(path, form="p") for path in (out, again))
    np.testing.assert_array_equal(first.proba, second.proba)
    assert second.classes.tolist() == NAMES.tolist()


def test_an_arff_file_knows_its_target_and_its_empty_classes(tmp_path):
    head = "@relation sky\n@attribute sky {sun,rain,fog}\n@attribute play {in,out,away}\n@data\n"
    train, test = tmp_path / "train.arff", tmp_path / "test.arff"
    train.write_text(head + "sun,out\n" * 5 + "rain,in\n" * 5)
    test.write_text(head + "sun,out\nfog,in\n?,in\n")
    out = tmp_path / "out.csv"
    result = fit("naive-credal", train, test, "-o", out)
    assert result.exit_code == 0, result.stderr
    said = read_predictions(out, ["in", "out", "away"], form="set")
    coded = NaiveCredal(classes=range(3), n_values=3).fit([[0]] * 5 + [[1]] * 5, [1] * 5 + [0] * 5)
    expected = coded.predict_set(np.array([[0], [2], [-1]]))
    np.testing.assert_array_equal(said.sets.to_indicator(), expected)


def test_costs_come_from_a_file_in_any_order_of_its_classes(files, tmp_path):
    train, test, out = files
    costs = CostMatrix([[0, 1, 9], [5, 0, 1], [1, 2, 0]], NAMES)
    path = tmp_path / "costs.csv"
    order = [2, 0, 1]
    cells = costs.costs[np.ix_(order, order)]
    path.write_text(costs_to_csv(CostMatrix(cells, NAMES[order])))
    result = fit(
        "nested-dichotomies", train, test, "-o", out, "--target", "kind", "--costs", path,
        "--discretize", "mdl", "--set", "n_trees=3", "--seed", "7",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    cut = MDLDiscretizer().fit(X[TRAIN], CODES[TRAIN])
    made = NestedDichotomies(
        n_trees=3, costs=costs.costs, random_state=7, n_values=cut.n_values_, classes=range(3)
    )
    model = made.fit(cut.transform(X[TRAIN]), CODES[TRAIN])
    np.testing.assert_array_equal(
        read_predictions(out, form="set").sets.to_indicator(),
        model.predict_set(cut.transform(X[TEST])),
    )


def test_declared_classes_are_real_classes(files):
    train, test, out = files
    declared = "virginica, setosa, versicolor, albino"
    result = fit(
        "naive-credal", train, test, "-o", out, "--target", "kind", "--discretize", "mdl",
        "--classes", declared,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    said = read_predictions(out, declared.split(", "), form="set")
    assert said.sets.to_indicator()[:, 3].any()  # what never occurred is hard to rule out


# -- two files that must agree ------------------------------------------------------------------


def data(name, **columns):
    return Dataset.from_columns(name, columns, target="kind")


def test_test_rows_are_read_as_the_training_rows_declare_them():
    train = data("train", a=["u", "v", "u"], b=[1.0, 2.0, 3.0], c=["1", "2", "x"], kind=list("pqr"))
    test = data(
        "test", kind=list("rrp"), extra=[1, 2, 3], b=[9.0, np.nan, 8.0], c=[2, 1, 5],
        a=["w", None, "v"],
    )  # fmt: skip
    same = like(test, train)
    assert same.columns == ("a", "b", "c")
    assert same.values[0].tolist() == [2, -1, 1]  # w is new: the number after the last
    np.testing.assert_array_equal(same.values[1], [9.0, np.nan, 8.0])
    assert same.values[2].tolist() == [1, 0, 3]  # numbers are the labels they spell
    assert same.target_codes.tolist() == [2, 2, 0]
    assert same.y.tolist() == ["r", "r", "p"]


def test_a_column_without_a_known_value_is_missing():
    train = data("train", a=[1.0, 2.0], kind=["p", "q"])
    test = data("test", a=np.array([None, None], dtype=object), kind=["p", "q"])
    assert np.isnan(like(test, train).values[0]).all()


@pytest.mark.parametrize(
    ("levels", "given", "codes"),
    [
        (["True", "False", "True"], ["true", "false", "TRUE", "maybe"], [1, 0, 1, 2]),
        (["true", "false", "true"], ["True", "False"], [1, 0]),
        (["true", "True", "no"], ["True", "TRUE"], [0, 3]),
        (["1.0", "2.0", "low"], [2.0, 1.0, 3.0], [1, 0, 3]),
        (["1", "01", "2", "low"], [2.0], [2]),
        ([" low", "high "], ["low", "high"], [0, 1]),
        (["low", "high"], [" low", "high "], [1, 0]),
        ([" low", "low ", "x"], ["low", "x"], [3, 2]),
        ([date(2026, 1, 1), date(2026, 2, 1)], ["2026-02-01", "2026-01-01 00:00:00"], [1, 0]),
        (["2026-01-01", "2026-02-01"], [datetime(2026, 2, 1), datetime(2026, 2, 1, 10)], [1, 2]),
        ([datetime(2026, 2, 1, 10)], ["2026-02-01T10:00:00.000000", "2026-02-01"], [0, 1]),
    ],
)
def test_values_are_found_however_they_are_written(levels, given, codes):
    train = data("train", x=levels, kind=["p"] * len(levels))
    assert like(data("test", x=given, kind=["p"] * len(given)), train).values[0].tolist() == codes


def test_numbers_are_refused_where_two_labels_are_the_same_number():
    train = data("train", x=["1", "01", "low"], kind=["p"] * 3)
    with pytest.raises(ValueError, match=r"^column 'x' has numbers in test, but train has .*'01'"):
        like(data("test", x=[1.0, 2.0], kind=["p"] * 2), train)
    train = data("train", x=[1.0] * 3, kind=["1", "01", "2"])
    with pytest.raises(ValueError, match=r"^the class has numbers in test, but the training"):
        like(data("test", x=[1.0], kind=[1]), train)
    assert like(data("test", x=[1.0], kind=[2]), train).target_codes.tolist() == [2]


@pytest.mark.parametrize(
    ("known", "given"),
    [(["True", "False"], ["false", "true"]), (["0.0", "1.0", "x"], [1.0, 0.0])],
)
def test_classes_are_found_however_they_are_written(known, given):
    train, test = (
        data("train", a=[1.0] * len(known), kind=known),
        data("test", a=[1.0] * 2, kind=given),
    )
    assert [label.lower() for label in like(test, train).y] == list(map(str, given))


def test_whole_numbers_stay_whole_when_classes_are_declared():
    whole = declare_classes(data("train", a=[1.0, 2.0], kind=[3, 1]), ["1", "2", "3"])
    assert whole.classes.tolist() == [1, 2, 3]
    assert whole.y.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (
            {"a": [1.0], "kind": ["p"]}, {"b": [1.0], "kind": ["p"]},
            "test has no column 'a', but train has: both need the same columns",
        ),
        (
            {"a": [1.0], "kind": ["p"]}, {"a": ["u"], "kind": ["p"]},
            "column 'a' has numbers in train but labels such as 'u' in test: both need the same "
            "kind of values",
        ),
        (
            {"a": [1.0], "kind": ["p"]}, {"a": [1.0, 2.0], "kind": ["p", "q"]},
            "test has the class q in row 2, which is not among p: declare all classes with "
            "--classes",
        ),
    ],
)  # fmt: skip
def test_files_that_do_not_match_are_refused(train, test, words):
    with pytest.raises(ValueError, match=words):
        like(data("test", **test), data("train", **train))


# -- parameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "settings", "expected"),
    [
        ("naive-credal", ["s=2", "idm=local", "reject=none"], NaiveCredal(2.0, idm="local")),
        ("naive-credal", ["reject_group=true"], NaiveCredal(reject_group=True)),
        ("nested-dichotomies", ["tree=[[0, 1], 2]"], NestedDichotomies([[0, 1], 2])),
        (
            "nested-dichotomies",
            ["base=naive-credal", "base__s=3", "n_trees=3"],
            NestedDichotomies(base=NaiveCredal(3.0), n_trees=3),
        ),
        (
            "nondeterministic",
            ["estimator__prior=perks", "estimator=naive-bayes", "beta=1.5"],
            Nondeterministic(NaiveBayes("perks"), 1.5),
        ),
        (
            "ensemble-credal",
            ["estimator=sklearn.ensemble.BaggingClassifier", "estimator__estimator=naive-bayes",
             "estimator__estimator__prior=perks", "estimator__bootstrap=False"],
            None,
        ),
    ],
)  # fmt: skip
def test_parameters_are_typed_by_the_signature(learner, settings, expected):
    made = make_learner(learner, read_settings(learner, settings))
    if expected is None:
        from sklearn.ensemble import BaggingClassifier

        expected = EnsembleCredal(BaggingClassifier(NaiveBayes("perks"), bootstrap=False))
    assert repr(made) == repr(expected)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["naive-credl"], "unknown learner 'naive-credl': did you mean 'naive-credal'?"),
        (["naive-credal", "--set", "s"], "--set takes name=value, got 's'"),
        (["naive-credal", "--set", "s=few"], "s takes a number, got 'few'"),
        (["naive-credal", "--set", "reject_group=often"], "reject_group takes true or false"),
        (
            ["naive-credal", "--set", "ss=1"],
            "has no parameter 'ss': did you mean 's'?",
        ),
        (["naive-credal", "--set", "s=-1", "--discretize", "mdl"], "s must be a number of rows"),
        (["naive-credal"], "column 'a' of train has numbers: discretize them with "),
        (["nondeterministic"], "nondeterministic needs the parameter 'estimator'"),
        (
            ["nondeterministic", "--set", "estimator__s=1"],
            "name that learner first, as in --set estimator=",
        ),
        (
            ["naive-bayes", "--select", "cfs"],
            "needs nominal features: discretize numeric features first",
        ),
        (["naive-bayes", "--classes", "setosa,virginica"], "has the class versicolor in row"),
        (["naive-bayes", "--costs", "none.csv"], "none.csv"),
        (["naive-bayes", "--target", "sort"], "train.csv has no target column 'sort'"),
    ],
)
def test_a_mistake_gets_one_sentence_and_leaves_the_file_as_it_was(files, arguments, words):
    train, test, out = files
    out.write_text("as before")
    learner, *options = arguments
    target = [] if "--target" in options else ["--target", "kind"]
    result = fit(learner, train, test, "-o", out, *target, *options)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert out.read_text() == "as before"
    assert {path.name for path in out.parent.iterdir()} == {"train.csv", "test.csv", "out.parquet"}


def test_a_missing_file_and_a_missing_target_are_named(files, tmp_path):
    train, test, out = files
    missing = fit("naive-bayes", tmp_path / "no.csv", test, "-o", out, "--target", "kind")
    assert missing.exit_code == 2
    assert "no.csv" in missing.stderr
    unnamed = fit("naive-bayes", train, test, "-o", out)
    assert unnamed.exit_code == 2
    assert "train.csv does not declare which column is the class" in unnamed.stderr


def test_missing_values_that_a_learner_cannot_take_are_named_with_a_remedy(tmp_path):
    train = tmp_path / "train.csv"
    train.write_text("x,z,c\n1.5,2,a\n2.5,,b\n3.5,1,a\n0.5,4,b\n")
    command = ["fit", "sklearn.linear_model.LogisticRegression", str(train), str(train)]
    command += ["--target", "c", "-o", str(tmp_path / "out.csv")]
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 2
    assert "row 2 of train has one: fill them with --impute" in refused.output
    filled = CliRunner().invoke(app, [*command, "--impute"])
    assert filled.exit_code == 0, filled.output


WHOLE = "x,g,class\n" + "".join(f"{i % 5},{'uv'[i % 2]},{'ab'[i // 2 % 2]}\n" for i in range(20))


def test_whole_numbers_are_discretized_too(wager, tmp_path):
    file = tmp_path / "d.csv"
    file.write_text(WHOLE)
    said = wager(
        "fit", "naive-credal", file, file, "--target", "class", "--out", tmp_path / "o.csv"
    )
    assert said.exit_code == 2
    assert said.stderr == (
        "wager: naive-credal takes nominal features, but column 'x' of d has numbers: discretize "
        "them with --discretize mdl\n"
    )


def test_training_data_may_come_from_standard_input(wager, tmp_path):
    file, out = tmp_path / "d.csv", tmp_path / "o.csv"
    file.write_text(WHOLE)
    arguments = ("--target", "class", "--out", out)
    said = wager("fit", "naive-bayes", "-", file, *arguments, input=WHOLE.replace(",", ";"))
    assert said.exit_code == 0, said.output
    assert len(out.read_text().splitlines()) == 21
    both = wager("fit", "naive-bayes", "-", "-", *arguments, input=WHOLE)
    assert both.stderr == (
        "wager: only one of the two files can be standard input: name a file for the other\n"
    )


@pytest.mark.parametrize("name", ["d.parquet", "d.csv.gz", "d.csv"])
def test_a_damaged_file_gets_one_sentence(wager, tmp_path, name):
    file = tmp_path / name
    content = {
        "d.parquet": b"PAR1....PAR1",
        "d.csv.gz": b"\x1f\x8b nothing",
        "d.csv": b"\xff,class\n",
    }
    file.write_bytes(content[name])
    said = wager("fit", "naive-bayes", file, file, "--target", "class", "-o", tmp_path / "o.csv")
    assert said.exit_code == 2
    assert said.stderr.startswith(f"wager: {file}")
    assert len(said.stderr.splitlines()) == 1


@pytest.mark.parametrize(("where", "large"), [("memory", False), ("memory", True), ("disk", True)])
def test_rows_without_a_class_are_left_out_and_counted(wager, tmp_path, monkeypatch, where, large):
    train, test, out = (tmp_path / name for name in ("train.csv", "test.csv", "o.csv"))
    train.write_text("x,y\nu,a\nv,b\nu,NA\nv,\nu,a\n")
    test.write_text("x,y\nu,a\nv,\nv,b\n")
    if large:
        monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
    arguments = ("--target", "y", "--rows", where, "--quiet", "-o", out)
    said = wager("fit", "naive-bayes", train, test, *arguments)
    assert said.exit_code == 0, said.output
    assert said.stderr == (
        f"wager: warning: {train}: 2 of 5 rows are left out because they have no class\n"
        f"wager: warning: {test}: 1 of 3 rows is left out because it has no class\n"
    )
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.parametrize("large", [False, True])
def test_messages_count_the_rows_without_a_class_as_rows_of_the_file(
    wager, tmp_path, monkeypatch, large
):
    train, test, out = (tmp_path / name for name in ("train.csv", "test.csv", "o.csv"))
    if large:
        monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
        monkeypatch.setattr("wager.cli.fit._NUMBERS", 1)
        monkeypatch.setattr("wager.cli.fit._LEAST_ROWS", 2)
    gaussian = "sklearn.naive_bayes.GaussianNB"
    arguments = ("--target", "y", "--rows", "memory", "-q", "-o", out)
    train.write_text("x,y\n1,a\n2,b\n1,\n3,b\n2,a\n")
    test.write_text("x,y\n1,\n1,\n1,a\n1,NA\n,b\n")
    said = wager("fit", gaussian, train, test, *arguments)
    assert "row 5 of test has one" in said.stderr
    test.write_text("x,y\n1,\n1,\n1,a\n1,NA\n2,c\n")
    said = wager("fit", gaussian, train, test, *arguments)
    assert "test has the class c in row 5" in said.stderr
    train.write_text("x,y\n1,a\n1,\n2,b\n,b\n")
    said = wager("fit", gaussian, train, test, *arguments)
    assert "row 4 of train has one" in said.stderr
    said = wager("fit", gaussian, train, test, "--classes", "a,c", *arguments)
    assert "train has the class b in row 3" in said.stderr


@pytest.mark.parametrize("large", [False, True])
def test_values_that_the_training_data_lacks_are_counted(wager, tmp_path, monkeypatch, large):
    train, test, out = (tmp_path / name for name in ("train.csv", "test.csv", "o.csv"))
    train.write_text("x,z,w,y\nu,1a,m,a\nv,2a,m,b\n")
    test.write_text("x,z,w,y\nU,1a,m,a\nu,2a,m,\nv,3a,m,b\nV,,m,b\n")
    if large:
        monkeypatch.setattr(_chunks, "LARGE_FILE", 0)
        monkeypatch.setattr("wager.cli.fit._NUMBERS", 1)
        monkeypatch.setattr("wager.cli.fit._LEAST_ROWS", 1)
    arguments = ("--target", "y", "--rows", "memory", "--quiet", "-o", out)
    said = wager("fit", "naive-bayes", train, test, *arguments)
    assert said.stderr == (
        f"wager: warning: {test}: 1 of 4 rows is left out because it has no class\n"
        f"wager: warning: {test} has values that train lacks: of x in 2, of z in 1 of 3 rows\n"
    )
    test.write_text("x,z,w,y\nu,1a,m,a\nv,9a,m,b\n")
    said = wager("fit", "naive-bayes", train, test, *arguments)
    assert (
        said.stderr == f"wager: warning: {test} has values that train lacks: of z in 1 of 2 rows\n"
    )


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_a_declared_class_that_is_missing_in_csv_files_is_refused(wager, tmp_path, where):
    """Its rows were left out, and it was predicted by its prior probability alone."""
    rows, arff, out = (tmp_path / name for name in ("rows.csv", "rows.arff", "o.csv"))
    rows.write_text("x,y\nu,NA\nv,b\nu,NA\n")
    arguments = ("--target", "y", "--quiet", "-o", out)
    said = wager("fit", "naive-bayes", rows, rows, "--classes", "NA,b", "--rows", where, *arguments)
    assert said.exit_code == 2
    assert said.stderr == (
        f"wager: {rows}: the class 'NA' is a missing value in the CSV file of a data set, and 2 of "
        "3 rows have none: call it otherwise, or use ARFF or Parquet\n"
    )
    arff.write_text("@relation r\n@attribute x {u,v}\n@attribute y {NA,b}\n@data\nu,NA\nv,b\n")
    said = wager("fit", "naive-bayes", arff, rows, *arguments)
    assert said.exit_code == 2, said.stderr
    assert wager("fit", "naive-bayes", arff, arff, *arguments).stderr == ""
    rows.write_text("x,y\nu,\nv,b\nu,a\n")
    said = wager(
        "fit", "naive-bayes", rows, arff, "--classes", "a,b,NA", "--rows", where, *arguments
    )
    assert said.exit_code == 2


def test_rows_on_disk_without_a_class_are_counted(wager, tmp_path):
    rows, out = tmp_path / "rows.csv", tmp_path / "o.csv"
    rows.write_text("x,y\nu,a\nv,b\nu,\n")
    said = wager(
        "fit", "naive-bayes", rows, rows, "--target", "y", "--rows", "disk", "-q", "-o", out
    )
    # of the training and of the test rows
    said_once = f"wager: warning: {rows}: 1 of 3 rows is left out because it has no class\n"
    assert said.stderr == 2 * said_once


def test_messages_count_rows_of_the_file_and_not_those_with_a_class(wager, tmp_path):
    train, test, numbers, out = (tmp_path / f"{name}.csv" for name in ("tr", "te", "nu", "o"))
    train.write_text("x,y\nu,\nv,\nu,a\nv,b\n")
    test.write_text("x,y\nu,\nv,a\nu,NA\nv,z\n")
    numbers.write_text("x,y\n1,\n2,\n1,a\n,b\n")
    arguments = ("--target", "y", "-o", out)
    unknown = wager("fit", "naive-bayes", train, test, *arguments)
    assert "te has the class z in row 4" in unknown.stderr
    undeclared = wager("fit", "naive-bayes", test, train, *arguments, "--classes", "a,b")
    assert "te has the class z in row 4" in undeclared.stderr
    regression = "sklearn.linear_model.LogisticRegression"
    missing = wager("fit", regression, numbers, numbers, *arguments)
    assert "row 4 of nu has one" in missing.stderr


def test_bins_are_refused_without_intervals_of_equal_frequency(wager, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("x,y\nu,a\nv,b\n")
    how = ("--target", "y", "--bins", "5", "-o", tmp_path / "o.csv")
    said = wager("fit", "naive-bayes", data, data, *how)
    assert said.exit_code == 2
    assert "--bins is for --discretize equal-frequency" in said.stderr
