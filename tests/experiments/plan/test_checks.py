"""Plans are checked with their data before anything runs; a fault is a sentence with its key."""

import gzip
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from wager.cli import app
from wager.experiments import Plan, run, studies
from wager.experiments.plan._learners import first_column_of_numbers
from wager.learners import NaiveCredal

CSV = "height,colour,class\n" + "".join(
    f"{i}.5,{'rg'[i % 2]},{'ab'[i // 4 % 2]}\n" for i in range(12)
)
IRIS = "datasets = ['iris']\n"
LEARNER = '\n[learners]\na = "vacuous"\n'


@pytest.fixture
def faults(tmp_path):
    """The faults of a plan, without the name of its file."""
    (tmp_path / "wine.csv").write_text(CSV)

    def find(text):
        (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError) as caught:
            run(tmp_path / "plan.toml", tmp_path / "out")
        assert not (tmp_path / "out").exists()
        lines = str(caught.value).splitlines()
        assert all(line.startswith("plan.toml") for line in lines)
        return [line.removeprefix("plan.toml: ") for line in lines]

    return find


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[datasets.wine]\nsource = 'wine.csv'\ntarget = 'clas'",
            "datasets.wine.target is 'clas', which is not a column of wine.csv: did you mean "
            "'class'? choose one of height, colour, class",
        ),
        (
            "datasets = ['iris', { source = 'wine.csv', target = 'kind' }]",
            "datasets.1.target is 'kind', which is not a column of wine.csv: choose one of height, "
            "colour, class",
        ),
        (
            "datasets = ['wine.csv']",
            "datasets.0.target is missing: wine.csv does not declare which column is the class, so "
            "name it, as in { source = 'wine.csv', target = 'class' }; choose one of height, "
            "colour, class",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class', drop = ['hight', 'class'] }]",
            "datasets.0.drop names 'hight', which is not a feature of wine.csv: did you mean "
            "'height'?",
        ),
        (
            "[datasets.wine]\npath = 'wine.csv'\ntarget = 'class'",
            "datasets.wine.path is not a key of a data set: did you mean source?",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class' }]\nscheme.n_folds = 13",
            "scheme.n_folds is 13, but wine.csv has only 12 rows: use fewer folds",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class' }]\n"
            "scheme = { kind = 'downsample', sizes = [5, 12] }",
            "scheme.sizes contains 12, but wine.csv has only 12 rows, and some must be left for "
            "testing",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class', scheme.sizes = [12] }]\n"
            "scheme = { kind = 'downsample', sizes = [5], replacement = true }",
            "scheme.sizes contains 12, but wine.csv has only 12 rows, and some must be left for "
            "testing",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class' }]\n"
            "scheme = { kind = 'holdout', test_share = 0.01 }",
            "scheme.test_share is 0.01, which leaves no training or no test rows of the 12 in "
            "wine.csv",
        ),
        (
            "datasets = [{ source = 'wine.csv', target = 'class' }]\nprepare.select = 'cfs'",
            "prepare.select: cfs takes nominal features, but there are numbers in 'height' of "
            "wine: discretize them with prepare.discretize = 'mdl'",
        ),
        (
            IRIS + "repeats = 5",
            "repeats is not a key of a plan: it belongs to scheme, as scheme.repeats",
        ),
        (IRIS + "n_fold = 5", "n_fold is not a key of a plan: did you mean scheme.n_folds?"),
        (IRIS + "metrics = ['u65']", "metrics is not a key of a plan: did you mean measures?"),
        (
            IRIS + "measures = ['determinasy']",
            "measures: there is no measure 'determinasy': did you mean",
        ),
        (
            IRIS + "scheme.test_share = 0.5",
            "scheme.test_share is a key of holdout, not of cross-validation",
        ),
        (IRIS + "time_limit = 1e300", "time_limit must be at most 31,536,000, got 1e+300"),
        (IRIS + "time_limit = inf", "time_limit must be at most 31,536,000, got inf"),
        (
            IRIS + "memory_limit = '1e400 GB'",
            "memory_limit must be a number of bytes, or text like '500 MB' or '2 GB', got '1e400",
        ),
        (IRIS + "memory_limit = '1e30 GB'", "memory_limit must be at most"),
        (IRIS + "scheme.repeats = 1000000000", "scheme: the plan has more than 1,000,000 units"),
        ("datasets = ['ires']", "datasets.0: there is no data set 'ires'"),
    ],
)
def test_a_fault_is_named_before_anything_runs(faults, text, sentence):
    found = faults(text + LEARNER)
    assert found[0].startswith(sentence)


def test_all_faults_are_listed_whatever_their_kind(faults):
    found = faults(
        "repeats = 3\nmeasures = ['u6x']\n"
        "datasets = ['wien', { source = 'wine.csv', target = 'clas' }, 'nowhere.csv']\n"
        "[learners]\na = 'vacous'\nb = { learner = 'naive-credal', params = { ss = 1 } }\n"
    )
    assert [line.split(" ")[0] for line in found] == [
        "repeats",
        "measures:",
        "learners.a:",
        "learners.b:",
        "datasets.0:",
        "datasets.2:",
        "datasets.1.target",
    ]


def test_at_most_ten_faults_are_listed(faults):
    names = ", ".join(f"'no{i}'" for i in range(40))
    found = faults(f"datasets = [{names}]" + LEARNER)
    assert len(found) == 11
    assert found[-1] == "and 30 more faults"


def test_learners_of_nominal_features_are_refused_numbers_once_for_all_data_sets(faults):
    found = faults("datasets = ['iris', 'digits']\n[learners]\nncc = 'naive-credal'\ntan = 'tan'\n")
    assert found == [
        f"learners.{key}: {name} takes nominal features, but there are numbers in 'sepal length "
        "(cm)' of iris (and in 1 more data set): discretize them with prepare.discretize = 'mdl'"
        for key, name in (("ncc", "naive-credal"), ("tan", "tan"))
    ]


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("class Mine(:\n", "cannot import the learner 'mine{}.Mine' (SyntaxError: "),
        (
            "1 / 0\n",
            "cannot import the learner 'mine{}.Mine' (ZeroDivisionError: division by zero)",
        ),
        (
            "class Mine: pass\n",
            "'mine{}.Mine' is not a learner: it must be a class with the method",
        ),
        (
            "class Mine:\n    fit = None\n    def __init__(self):\n        raise TypeError('no')\n",
            "mine{}.Mine cannot be made with these parameters (TypeError: no)",
        ),
    ],
)
def test_a_learner_that_cannot_be_made_is_a_sentence(faults, tmp_path, module, words):
    number = abs(hash(module)) % 10**9
    (tmp_path / f"mine{number}.py").write_text(module)
    (found,) = faults(IRIS + f"[learners]\nmine = 'mine{number}.Mine'\n")
    assert found.startswith(f"learners.mine: {words.format(number)}")


@pytest.mark.parametrize(
    ("learners", "key", "label"),
    [
        ("a = { learner = 'naive-credal', grid.s = [1, 2, 1] }", "a", "a[s=1]"),
        (
            "a = { learner = 'naive-credal', grid.s = [1, 2] }\n"
            "'a[s=2]' = { learner = 'naive-credal', params.s = 3 }",
            "a[s=2]",
            "a[s=2]",
        ),
    ],
)
def test_two_learners_of_one_name_are_refused(faults, learners, key, label):
    assert faults(f"{IRIS}prepare.discretize = 'mdl'\n[learners]\n{learners}") == [
        f"learners.{key}: two learners are called {label!r}: list each value of a grid once, or "
        "give the other learner another name"
    ]


@pytest.mark.parametrize("where", ["params", "grid"])
def test_parameters_that_are_objects_are_refused(where):
    given = NaiveCredal() if where == "params" else [NaiveCredal(), "naive-credal"]
    learner = {"learner": "k-random", where: {"estimator": given}}
    with pytest.raises(ValueError, match=r"learners\.k: params must be numbers, text, lists and"):
        Plan(datasets=["iris"], learners={"k": learner}, prepare={"discretize": "mdl"})


def test_learners_of_a_grid_are_told_apart_by_their_parameters():
    inside = [{"learner": "naive-credal", "params": {"s": s}} for s in (1, 9)]
    k_random = {"learner": "k-random", "grid": {"estimator": inside}}
    plan = Plan(datasets=["iris"], learners={"k": k_random}, prepare={"discretize": "mdl"})
    labels = [label for _, label, _ in plan.variants()]
    assert labels == ["k[estimator=naive-credal(s=1)]", "k[estimator=naive-credal(s=9)]"]


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        ("{ learner = 'naive-credal', params.s = -2 }", "s must be a number of rows"),
        ("{ learner = 'naive-credal', params.s = 'x' }", "s must be a number of rows"),
        ("{ learner = 'naive-credal', params.idm = 'globl' }", "idm must be 'global', 'local' or"),
        ("{ learner = 'naive-credal', grid.s = [1, -1] }", "s must be a number of rows"),
        ("{ learner = 'sklearn.svm.SVC', params.kernel = 'rbff' }", "The 'kernel' parameter"),
        (
            "{ learner = 'nondeterministic', params = "
            "{ estimator = { learner = 'naive-bayes' }, beta = 'x' } }",
            "Nondeterministic(",
        ),
    ],
)
def test_values_of_parameters_are_checked_before_anything_runs(faults, learner, words):
    found = faults(IRIS + f"[prepare]\ndiscretize = 'mdl'\n[learners]\nmine = {learner}\n")
    assert len(found) == 1
    assert found[0].startswith("learners.mine: ")
    assert words in found[0]


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 3000, "x = " + "[" * 200 + "]" * 200, "a." * 3000 + "b = 1"]
)
def test_tables_that_are_nested_too_deeply_are_a_sentence(faults, text):
    assert faults(text) == ["plan.toml has tables or lists that are nested too deeply"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.parquet", b"PAR1 nothing", "bad.parquet is not a complete Parquet file"),
        (
            "bad.csv.gz",
            gzip.compress(CSV.encode(), mtime=0)[:40],
            "the compressed file is truncated",
        ),
        ("bad.arff", b"@relation r\n@attribute x {a}\n@data\nb\n", "contains 'b' in row 1"),
        ("bad.csv", "x,class\n1,ä\n".encode("latin-1"), "it looks like Latin-1"),
        ("bad.csv", b"x,class\n1,NA\n", "bad.csv has no row with a class"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_sentence(faults, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    (found,) = faults(
        f"datasets = [{{ source = '{name}', target = 'class' }}]".replace(
            ", target = 'class'", "" if name.endswith("arff") else ", target = 'class'"
        )
        + LEARNER
    )
    assert found.startswith("datasets.0: ")
    assert words in found


def test_data_sets_can_be_named_in_tables(tmp_path):
    (tmp_path / "wine.csv").write_text(CSV)
    (tmp_path / "plan.toml").write_text(
        "[datasets.reds]\nsource = 'wine.csv'\ntarget = 'class'\n[datasets.iris]\nsource = 'iris'\n"
        + LEARNER
    )
    plan = Plan.load(tmp_path / "plan.toml")
    sizes = plan.check()
    assert {name: (size.n_rows, size.n_columns) for name, size in sizes.items()} == {
        "reds": (12, 2),
        "iris": (150, 4),
    }
    listed = Plan(
        datasets=[{"source": "wine.csv", "target": "class"}, "iris"],
        learners={"a": "vacuous"},
        folder=tmp_path,
    )
    assert {unit.key for unit in plan.units()} == {unit.key for unit in listed.units()}


def test_data_sets_whose_units_are_all_done_are_not_loaded_again(tmp_path):
    (tmp_path / "wine.csv").write_text(CSV)
    plan = Plan(
        datasets=[{"source": "wine.csv", "target": "class"}, "iris"],
        learners={"a": "vacuous"},
        folder=tmp_path,
    )
    on_iris = [unit for unit in plan.units() if unit.source.name == "iris"]
    assert list(plan.check(on_iris)) == ["iris"]


def test_a_plan_can_be_read_without_a_library_that_its_run_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "mapie", None)
    monkeypatch.setitem(sys.modules, "mapie.classification", None)
    params = {"estimator": "naive-bayes"}
    plan = Plan(datasets=["iris"], learners={"sets": {"learner": "conformal", "params": params}})
    with pytest.raises(ValueError, match=r"^learners\.sets: Conformal needs MAPIE: pip install"):
        plan.check()
    # so the studies can be listed after a core install
    assert "iris" in studies.get("conformal-vs-credal").data_sets()


@pytest.mark.parametrize(
    "ends",
    [
        "import sys\nsys.exit()",
        "raise SystemExit",
        "import argparse as a\na.ArgumentParser().exit()",
    ],
)
@pytest.mark.parametrize("place", ["learner", "learner = 'k-random'\nparams.estimator"])
def test_a_module_that_ends_python_is_a_fault_of_its_learner(faults, tmp_path, ends, place):
    (tmp_path / "ends.py").write_text(f"{ends}\nclass L:\n    fit = predict = None\n")
    (found,) = faults(f"{IRIS}[learners.bad]\n{place} = 'ends.L'")
    assert found == (
        "learners.bad: 'ends.L' calls sys.exit when it is imported or made: remove this call from "
        "its module"
    )


def test_a_module_that_ends_python_ends_the_command_with_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "ends.py").write_text("import sys\nsys.exit()\n")
    (tmp_path / "plan.toml").write_text(f"{IRIS}[learners]\nbad = 'ends.L'\n")
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(app, ["run", "plan.toml", "-o", "out"])
    assert said.exit_code == 2
    assert "learners.bad: 'ends.L' calls sys.exit when it is imported or made" in said.stderr


def test_a_module_that_ends_python_is_found_among_the_values_to_choose_from(tmp_path):
    (tmp_path / "ends.py").write_text("raise SystemExit\n")
    tuned = {
        "learner": "k-random",
        "tune": {"estimator": ["ends.L"]},
        "params": {"estimator": "c45"},
    }
    plan = Plan(datasets=["iris"], learners={"bad": tuned}, folder=tmp_path)
    with pytest.raises(ValueError, match=r"'ends\.L' calls sys\.exit when it is imported or made"):
        plan.units()


@pytest.mark.parametrize(
    ("values", "n_values", "refused"),
    [
        ([0, 1, 2], [3], False),
        ([0, 1, 2], None, True),
        ([0, -1, 2], [3], True),
        ([0, 0.5], [3], True),
    ],
)
def test_whole_numbers_may_be_codes_if_the_learner_knows_how_many(values, n_values, refused):
    learner, X = NaiveCredal(n_values=n_values), np.array([[*values, np.nan]]).T
    assert first_column_of_numbers(learner, X, np.array([False])) == (0 if refused else None)
