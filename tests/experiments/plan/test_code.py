"""Keys change with the code and the data that results depend on; seeds do not change with code."""

import ast
import json
import os

import pytest

from tests.experiments.filled import HERE, tables
from tests.experiments.forked import in_copy
from wager.experiments import Plan, Store, run
from wager.experiments.plan import _code, _sources, versions
from wager.experiments.plan._code import code_of, import_paths, modules_in, packages_of
from wager.experiments.store import _store

LEARNER = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from help_for_own import number

class Own(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), number())
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "own.py").write_text(LEARNER)
    (tmp_path / "help_for_own.py").write_text("def number():\n    return 0\n")
    (tmp_path / "other.py").write_text("")
    (tmp_path / "plan.toml").write_text(
        'datasets = ["iris"]\nscheme.n_folds = 2\nlearners = { own = "own.Own", nbc = "vacuous" }\n'
    )
    return tmp_path


def run_anew(folder):
    """Run the plan in a new process, as after an edit; returns its summary."""
    return in_copy(lambda: run(folder / "plan.toml", folder / "out").text())


def accuracy(folder):
    return Store(folder / "out").scores("coverage").values[0, 0]


def test_after_an_edit_of_a_learner_its_units_are_done_again(folder):
    """Also if the file keeps its length and its time, and if only a helper module is edited."""
    assert "4 units: 4 done" in run_anew(folder)
    assert "4 units: 0 done" in run_anew(folder)
    (folder / "other.py").write_text("# not imported by the learner\n")
    assert "4 units: 0 done" in run_anew(folder)
    first = accuracy(folder)
    file = folder / "own.py"
    times = file.stat()
    file.write_text(LEARNER.replace("number())", "number()+1)").replace("\n\n    def", "\n    def"))
    os.utime(file, (times.st_atime, times.st_mtime))
    said = run_anew(folder)
    assert "4 units: 2 done" in said
    assert "2 units in the store could not be reused: the code of own.Own is new or has" in said
    assert accuracy(folder) == first == pytest.approx(1 / 3)
    (folder / "help_for_own.py").write_text("def number():\n    return 7\n")
    assert "2 failed" in run_anew(folder)
    assert "predict returned 8" in Store(folder / "out").failures()[0].error


def test_an_edit_of_a_module_in_another_folder_counts_unless_it_is_installed(
    folder, tmp_path_factory, monkeypatch
):
    """As on PYTHONPATH, or of a package that is installed in editable form."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "toolbox").mkdir()
    (elsewhere / "toolbox" / "__init__.py").write_text("from .deep import number\n")
    (elsewhere / "toolbox" / "deep.py").write_text("def number():\n    return 0\n")
    (folder / "help_for_own.py").write_text("from toolbox import number\n")
    monkeypatch.syspath_prepend(elsewhere)
    assert "4 units: 4 done" in run_anew(folder)
    assert "4 units: 0 done" in run_anew(folder)
    (elsewhere / "toolbox" / "deep.py").write_text("def number():\n    return 1\n")
    assert "the code of own.Own is new or has changed" in run_anew(folder)


def test_seeds_stay_when_code_is_edited_or_moved(folder):
    plan = Plan.load(folder / "plan.toml")
    before = plan.units()[0]
    assert before.random_state == 836672800
    (folder / "help_for_own.py").write_text("def number():\n    return 1\n")
    edited = Plan.load(folder / "plan.toml").units()[0]
    assert (edited.random_state, edited.key != before.key) == (before.random_state, True)
    (folder / "moved.py").write_text(LEARNER)
    moved = Plan(datasets=["iris"], learners={"own": "moved.Own"}, scheme={"n_folds": 2},
                 folder=folder).units()[0]  # fmt: skip
    assert moved.random_state == before.random_state


def test_keys_of_our_learners_and_of_scikit_learn_are_those_of_earlier_versions():
    plan = Plan(
        datasets=["iris"],
        learners={"nbc": "naive-bayes", "tree": "sklearn.tree.DecisionTreeClassifier"},
        scheme={"n_folds": 2},
        prepare={"discretize": "mdl"},
    )
    nbc, tree = plan.units()[:2]
    assert (nbc.key, nbc.code) == ("98540734462352a0c63b019627fa6136", {})
    assert nbc.random_state == 2426618450
    assert tree.packages == ("scikit-learn", "wager")
    assert tree.code == {}


def test_the_code_of_an_installed_package_is_its_version():
    with modules_in(str(HERE)):
        found = code_of(
            {"learner": "joblib.parallel.Parallel"} | {"learner": "mapie.X"}, {"mapie.X": "1"}
        )
        assert found == {"mapie.X": "1"}
        own = code_of({"learner": "faulty.Majority"})["faulty.Majority"]
    assert _code._version_of("numpy").startswith("numpy 2")
    assert len(own) == 32


def test_import_paths_are_found_wherever_a_learner_can_be():
    what = {
        "learner": "k-random",
        "params": {"estimator": "a.B", "costs": "c.D", "list": [{"learner": "e.F"}]},
        "tune": {"base": ["g.H", "vacuous"]},
    }
    assert sorted(import_paths(what)) == ["a.B", "e.F", "g.H"]
    assert packages_of({"learner": "sklearn.svm.SVC"}) == ("scikit-learn", "wager")


def csv(labels):
    return "x,c\n" + "".join(f"{i % 5},{label}\n" for i, label in enumerate(labels))


def test_a_file_that_is_rewritten_during_a_run_is_not_stored_under_the_key_of_the_old_one(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text(csv("ab" * 20))
    given = {
        "datasets": [{"source": "data.csv", "target": "c"}],
        "learners": {"nbc": "naive-bayes"},
        "scheme": {"n_folds": 2},
        "prepare": {"discretize": "mdl"},
        "folder": tmp_path,
    }

    def rewrite(progress):
        if not progress.tried:
            file.write_text(csv("aabb" * 10))

    summary = run(Plan(**given), tmp_path / "out", progress=rewrite)
    assert {reason for _, reason in summary.failures} == {
        "ValueError: data.csv was changed after the run had started: run the plan again with "
        "--retry, and leave its files as they are until it is done"
    }
    assert run(Plan(**given), tmp_path / "out").done == 2
    run(Plan(**given), tmp_path / "new")
    newest = Plan(**given).units()[0].key
    both = [tables(tmp_path / name)["units"] for name in ("out", "new")]
    assert [row for row in both[0] if newest in row] == [row for row in both[1] if newest in row]


def test_a_file_that_is_replaced_while_it_is_read_is_refused(tmp_path, monkeypatch):
    """And put back afterwards: the digest is right both before and after."""
    file = tmp_path / "data.csv"
    file.write_text(csv("ab" * 20))
    plan = Plan(
        datasets=[{"source": "data.csv", "target": "c"}],
        learners={"all": "vacuous"},
        folder=tmp_path,
    )
    source = plan.units()[0].source
    load = _sources.load_dataset

    def meanwhile(path, **more):
        old = file.read_text()
        file.write_text(csv("ba" * 20))
        data = load(path, **more)
        file.write_text(old)
        return data

    assert len(source.load()) == 40
    monkeypatch.setattr(_sources, "load_dataset", meanwhile)
    with pytest.raises(ValueError, match=r"data\.csv was changed after the run had started"):
        source.load()


def test_another_version_of_a_package_makes_its_units_obsolete(tmp_path, monkeypatch):
    plan = Plan(
        datasets=["iris"],
        learners={"all": "vacuous", "tree": "sklearn.dummy.DummyClassifier"},
        scheme={"kind": "holdout"},
    )
    run(plan, tmp_path)
    newer = json.dumps(json.loads(versions()) | {"scikit-learn": "99.0"})
    monkeypatch.setattr(_store, "versions", lambda: newer)
    known = Store(tmp_path).known(plan, plan.units())
    assert (known.ok, known.again) == ({}, {"scikit-learn is now 99.0": 2})
    monkeypatch.setattr(
        _store, "versions", lambda: json.dumps(json.loads(versions()) | {"numpy": "99.0"})
    )
    assert len(Store(tmp_path).known(plan, plan.units()).ok) == 2  # numbers may differ by rounding


@pytest.mark.parametrize(
    "learners",
    [
        {"own": "own.Own"},
        {"own": {"learner": "rejecting", "params": {"estimator": "own.Own"}}},
        {"own": {"learner": "rejecting", "grid": {"estimator": ["naive-bayes", "own.Own"]}}},
    ],
)
def test_without_imports_nothing_is_imported(tmp_path, learners):
    (tmp_path / "own.py").write_text("raise SystemExit('imported')\n")
    given = {"datasets": ["iris"], "folder": tmp_path}
    with pytest.raises(
        ValueError, match=r"learners\.own: 'own\.Own' would be imported, which --no"
    ):
        Plan(**given, learners=learners, imports=False)
    with pytest.raises(ValueError, match=r"learners\.own: 'own\.Own' would be imported"):
        Plan(**given, learners=learners | {"bad": {"learner": "c45", "x": 1}}, imports=False)


def test_without_imports_a_plan_of_our_learners_runs_as_always(folder):
    plan = Plan(datasets=["iris"], learners={"a": "vacuous"}, scheme={"n_folds": 2}, imports=False)
    assert run(plan, folder / "out", imports=False).done == 2
    assert plan.tasks(plan.units())[0].folder == ""
    with pytest.raises(
        ValueError, match=r"own\.Own.* would be imported, which --no-import forbids"
    ):
        run(folder / "plan.toml", folder / "out", imports=False)
    with pytest.raises(ValueError, match=r"imports=False forbids to import own\.Own"):
        run(Plan.load(folder / "plan.toml"), folder / "out", imports=False)
    (folder / "bad.toml").write_text(
        'imports = true\ndatasets = ["iris"]\nlearners.a = "own.Own"\n'
    )
    with pytest.raises(ValueError, match="imports is not a key of a plan"):
        Plan.load(folder / "bad.toml", imports=False)


@pytest.mark.parametrize(
    "more",
    [
        {"scheme": {"repeats": 10**9}},
        {"learners": {"a": {"learner": "c45", "grid": {f"p{i}": [*range(9)] for i in range(40)}}}},
        {
            "datasets": [{"generator": "random-tan", "models": 10**9}],
            "scheme": {"kind": "generate", "sizes": [9]},
        },
    ],
)
def test_a_small_plan_of_too_many_units_is_refused_at_once(more):
    with pytest.raises(ValueError, match="the plan has more than 1,000,000 units, too many"):
        Plan(**{"datasets": ["iris"], "learners": {"a": "vacuous"}} | more)


def test_plans_in_two_folders_may_have_modules_of_the_same_name(tmp_path):
    for name, text in (("a", LEARNER), ("b", LEARNER + "\n# another\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "twin.py").write_text(text)
        (tmp_path / name / "help_for_own.py").write_text("def number():\n    return 0\n")
    codes = [
        Plan(datasets=["iris"], learners={"t": "twin.Own"}, folder=tmp_path / name).units()[0].code
        for name in ("a", "b", "a")
    ]
    assert codes[0] == codes[2] != codes[1]


def test_a_file_is_parsed_again_if_python_loses_count(tmp_path, monkeypatch):
    """Python 3.11 raises a SystemError if another thread interrupts it at the wrong moment."""
    parse, tries = ast.parse, []

    def interrupted(source):
        tries.append(source)
        if len(tries) == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=1, after=2)")
        return parse(source)

    monkeypatch.setattr(ast, "parse", interrupted)
    (tmp_path / "mine.py").write_text("import json\nfrom csv import reader\n")
    assert _code._imported(tmp_path / "mine.py", "mine.py") == ["json", "csv.reader"]
    assert len(tries) == 2


def test_the_code_of_a_learner_from_an_installed_package_is_the_version_of_the_package():
    found = _code._code_of_class("mapie.classification.SplitConformalClassifier")
    assert found == _code._version_of("mapie")
