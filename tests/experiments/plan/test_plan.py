import os
import subprocess
import sys

import pytest

from wager.experiments import Plan
from wager.experiments.plan._keys import key_of, random_state_of

HEAD = 'datasets = ["iris"]\n'
NBC = '[learners]\nnbc = "naive-bayes"\n'


def plan(**changes):
    given = {"datasets": ["iris"], "learners": {"nbc": "naive-bayes", "all": "vacuous"}}
    return Plan(**(given | changes))


def keys(plan):
    return {unit.key for unit in plan.units()}


def write(folder, text):
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_plan_is_read_from_toml(tmp_path):
    text = """
seed = 7
datasets = ["iris", { source = "wine", drop = ["ash"], prepare.impute = "none" }]
measures = ["u80"]
memory_limit = "1.5 GB"
[scheme]
folds = "weka"
repeats = 3
[prepare]
impute = "once"
discretize = "mdl"
[learners.ncc]
learner = "naive-credal"
params.epsilon = 0.01
grid.s = [1, 2]
"""
    read = Plan.load(write(tmp_path, text))
    assert (read.name, read.seed, read.measures) == ("study", 7, ("u80",))
    assert read.memory_limit == 1_500_000_000
    units = read.units()
    assert len(units) == 2 * 30 * 2
    assert {unit.label for unit in units} == {"ncc[s=1]", "ncc[s=2]"}
    assert {unit.source.name: unit.preparation.impute for unit in units} == {
        "iris": "once",
        "wine": "none",
    }


@pytest.mark.parametrize(
    ("scheme", "number", "sizes"),
    [
        ("5x2", 10, {None}),
        ({"n_folds": 4, "repeats": 3}, 12, {None}),
        ({"kind": "holdout", "repeats": 6}, 6, {None}),
        ({"kind": "downsample", "sizes": [5, 10], "repeats": 4}, 8, {5, 10}),
        ({"kind": "downsample", "sizes": [5], "replacement": True}, 1, {5}),
    ],
)
def test_a_scheme_lists_its_splits(scheme, number, sizes):
    splits = {unit.split for unit in plan(scheme=scheme).units()}
    assert len(splits) == number
    assert {split.size for split in splits} == sizes


def test_more_repeats_learners_and_data_sets_keep_every_unit():
    few = plan(scheme={"repeats": 2})
    many = plan(
        datasets=["wine", "iris"],
        learners={"tree": "c45", "all": "vacuous", "naive": "naive-bayes"},
        scheme={"repeats": 5},
        measures=["u80"],
        time_limit=5,
    )
    assert keys(few) < keys(many)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"prepare": {"discretize": "mdl"}},
        {"scheme": {"folds": "weka"}},
        {"scheme": {"n_folds": 9}},
        {"learners": {"nbc": {"learner": "naive-bayes", "params": {"prior": "perks"}}}},
        {"datasets": [{"source": "iris", "drop": ["petal width (cm)"]}]},
    ],
)
def test_what_changes_a_result_changes_every_key(change):
    assert not keys(plan()) & keys(plan(**change))


def test_how_rows_are_drawn_changes_every_key():
    base = {"kind": "downsample", "sizes": [20]}
    changes = [{}, {"stratified": False}, {"replacement": True}]
    found = [keys(plan(scheme=base | change)) for change in changes]
    assert len(set.union(*found)) == sum(map(len, found))
    assert keys(plan(scheme=base | {"replacement": False})) == found[0]


def test_a_data_set_can_change_the_scheme():
    base = {"kind": "downsample", "sizes": [20], "repeats": 3}
    changed = {"source": "iris", "name": "drawn", "scheme": {"repeats": 2, "replacement": True}}
    mixed = plan(datasets=["iris", changed], scheme=base)
    alone = plan(scheme=base | {"repeats": 2, "replacement": True})
    assert keys(mixed) == keys(plan(scheme=base)) | keys(alone)
    assert Plan(**mixed.model_dump()).model_dump() == mixed.model_dump()
    assert "scheme" not in mixed.model_dump()["datasets"][0]


def test_two_fold_cross_validation_and_5x2_share_units():
    assert keys(plan(scheme={"n_folds": 2, "repeats": 5})) == keys(plan(scheme="5x2"))


@pytest.mark.long
def test_keys_and_random_states_are_the_same_in_every_process():
    script = (
        "from wager.experiments import Plan\n"
        "plan = Plan(datasets=['iris'], learners={'nbc': 'naive-bayes', 'all': 'vacuous'})\n"
        "print([(u.key, u.random_state) for u in plan.units()])"
    )
    env = {**os.environ, "PYTHONHASHSEED": "12345"}
    said = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert said.stdout.strip() == str([(u.key, u.random_state) for u in plan().units()])


def test_a_random_state_is_no_part_of_the_key():
    assert random_state_of("a") != random_state_of("b")
    assert 0 <= random_state_of("a") < 2**32
    assert not key_of("a").startswith(f"{random_state_of('a'):08x}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD, "study.toml: learners is missing"),
        (NBC, "study.toml: datasets is missing"),
        ("datasets = []\n" + NBC, "study.toml: datasets must have at least one entry, got none"),
        (HEAD + "sede = 1\n" + NBC, "study.toml: sede is not a key of a plan: did you mean seed?"),
        (HEAD + "folder = 'x'\n" + NBC, "study.toml: folder is not a key of a plan: did you mean"),
        (HEAD + "seed = 'x'\n" + NBC, "study.toml: seed must be a whole number, got 'x'"),
        (HEAD + "time_limit = 0\n" + NBC, "study.toml: time_limit must be greater than 0"),
        (HEAD + "memory_limit = '2 XB'\n" + NBC, "study.toml: memory_limit must be a number of"),
        (HEAD + "measures = ['u6x']\n" + NBC, "study.toml: measures: there is no measure 'u6x'"),
        (HEAD + NBC + "[scheme]\nn_folds = 1", "study.toml: scheme.n_folds must be at least 2"),
        (HEAD + NBC + "[scheme]\nkind = 'loo'", "study.toml: scheme.kind must be one of"),
        (HEAD + NBC + "[scheme]\nkind = 'downsample'", "study.toml: scheme.sizes is missing"),
        (HEAD + NBC + "[prepare]\nimpute = 'yes'", "study.toml: prepare.impute must be 'none'"),
        (
            HEAD + NBC + "[prepare]\nimpute = 'fold'\ndiscretize = 'mdl'\ndiscretize_in = 'once'",
            "study.toml: prepare has a step for the whole data set (once) after a step for each",
        ),
        (HEAD + "[learners]\nx = 'ncb'", "study.toml: learners.x: unknown learner 'ncb'"),
        (
            HEAD + "[learners.x]\nlearner = 'naive-bayes'\nparams.priors = 'perks'",
            "study.toml: learners.x: naive-bayes has no parameter 'priors': did you mean 'prior'?",
        ),
        (
            HEAD + "[learners.x]\nlearner = 'naive-bayes'\nprepare.select = 'all'",
            "study.toml: learners.x.prepare.select must be 'none' or 'cfs', got 'all'",
        ),
        (
            "datasets = ['iris', { source = 'wine', prepare.select = 'all' }]\n" + NBC,
            "study.toml: datasets.1.prepare.select must be 'none' or 'cfs', got 'all'",
        ),
        (
            "datasets = [{ source = 'wine', prepare.discretize_in = 'once' }]\n"
            "prepare.discretize = 'mdl'\n"
            "learners.x = { learner = 'vacuous', prepare.impute = 'fold' }",
            "study.toml: learners.x on datasets.0.prepare has a step for the whole data",
        ),
        (
            HEAD + "[learners.x]\nlearner = 'c45'\ntune.depth = [1, 2]",
            "study.toml: learners.x: tune names 'depth', which is not a parameter",
        ),
        (
            HEAD + "[learners.x]\nlearner = 'rejecting'",
            "study.toml: learners.x: rejecting needs the parameter 'estimator'",
        ),
        (
            HEAD + "[learners.x]\nlearner = 'nowhere.at.All'",
            "study.toml: learners.x: cannot import the learner 'nowhere.at.All'",
        ),
        (
            "datasets = [{ generator = 'random-tan' }]\n" + NBC,
            "study.toml: datasets.0: generators need scheme.kind = 'generate'",
        ),
        (
            "datasets = [{ generator = 'random-nothing' }]\n"
            + NBC
            + "[scheme]\nkind = 'generate'\nsizes = [10]",
            "study.toml: datasets.0: there is no generator 'random-nothing'",
        ),
        (
            "datasets = [{ source = 'iris', scheme.kind = 'holdout' }]\n" + NBC,
            "study.toml: datasets.0.scheme.kind must be that of the plan, 'cross-validation', got",
        ),
        (
            "datasets = [{ source = 'iris', scheme.n_folds = 1 }]\n" + NBC,
            "study.toml: datasets.0.scheme.n_folds must be at least 2, got 1",
        ),
        (
            "datasets = [{ source = 'iris', scheme.sizes = [3] }]\n" + NBC,
            "study.toml: datasets.0.scheme.sizes is a key of downsample and generate, not of cross",
        ),
        (
            "datasets = [{ source = 'iris', scheme.repeats = 100_000_000 }]\n" + NBC,
            "study.toml: scheme: the plan has more than 1,000,000 units",
        ),
        (
            HEAD + NBC + "[scheme]\nkind = 'downsample'\nsizes = [5]\nreplacement = 'often'",
            "study.toml: scheme.replacement must be true or false, got 'often'",
        ),
        ("datasets = [", "study.toml is not valid TOML"),
    ],
)
def test_an_error_points_at_the_key(tmp_path, text, sentence):
    with pytest.raises(ValueError) as caught:
        Plan.load(write(tmp_path, text))
    assert sentence in str(caught.value)


def test_every_problem_gets_a_line(tmp_path):
    with pytest.raises(ValueError) as caught:
        Plan.load(write(tmp_path, HEAD + "seed = 'x'\nsize = 3\n" + NBC))
    assert len(str(caught.value).splitlines()) == 2


def test_a_missing_plan_is_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"there is no plan .*none.toml: name a TOML file"):
        Plan.load(tmp_path / "none.toml")
    with pytest.raises(ValueError, match="is a folder: name the TOML file of a plan in it"):
        Plan.load(tmp_path)


def test_nested_estimators_are_made_from_names():
    from wager.learners import make_learner

    params = {"estimator": {"learner": "naive-bayes", "params": {"prior": "perks"}}, "beta": 2.0}
    made = make_learner("nondeterministic", params)
    assert (made.estimator.prior, made.beta) == ("perks", 2.0)


def test_modules_beside_a_plan_can_be_named(tmp_path):
    (tmp_path / "home_grown_learner.py").write_text(
        "from wager.learners import Vacuous\nclass Mine(Vacuous):\n    pass\n"
    )
    text = HEAD + "[learners]\nmine = 'home_grown_learner.Mine'"
    (unit, *_) = Plan.load(write(tmp_path, text)).units()
    assert unit.learner["learner"] == "home_grown_learner.Mine"
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"tune_measure": "u6x"}, "u6x"),
        ({"tune_measure": "cost:abc"}, "write 'cost:0.5'"),
        ({"tune_measure": "cost:abc:cautious"}, "write 'cost:0.5'"),
        ({"tune_measure": "cost:2"}, "between 0 and 1"),
        ({"tune_measure": "cost:0.5:avg"}, "'cost:0.5:mistake-averse'"),
        ({"params": {"costs": "ordnal"}}, "costs must be 'ordinal' or a table of numbers"),
        ({"tune_measure": "cost:0.5", "params": {}}, "needs costs"),
    ],
)
def test_what_tuning_goes_by_is_checked_before_anything_runs(changes, sentence):
    learner = {
        "learner": "naive-credal",
        "params": {"costs": "ordinal", "idm": "intervals"},
        "tune": {"s": [1, 2]},
    }
    with pytest.raises(ValueError, match=sentence):
        Plan(datasets=["iris"], learners={"a": learner | changes})


NETWORK = """
from sklearn.neural_network import MLPClassifier

class Network(MLPClassifier):
    pass
"""


def test_a_learner_that_moves_to_another_module_keeps_its_seed(tmp_path):
    def units(module):
        (tmp_path / f"{module}.py").write_text(NETWORK, encoding="utf-8")
        path = f"{module}.Network"
        inner = {"learner": path, "params": {"hidden_layer_sizes": [3]}}
        wrapped = {"learner": "rejecting", "params": {"estimator": inner, "threshold": 0.6}}
        short = {"learner": "rejecting", "params": {"estimator": path, "threshold": 0.6}}
        learners = {"plain": path, "wrapped": wrapped, "short": short}
        return Plan(datasets=["iris"], learners=learners, folder=tmp_path).units()

    here, there = units("network_here"), units("network_there")
    assert [unit.random_state for unit in here] == [unit.random_state for unit in there]
    assert len({unit.random_state for unit in here}) == len(here)
    assert not {unit.key for unit in here} & {unit.key for unit in there}


def test_seeds_of_our_learners_and_of_scikit_learns_stay_what_they_were():
    learners = {"ours": "naive-credal", "theirs": "sklearn.ensemble.RandomForestClassifier"}
    for unit in plan(learners=learners).units():
        assert unit.random_state == random_state_of(unit.what)


@pytest.mark.parametrize(
    "scheme",
    [
        {"kind": "cross-validation", "repeats": 3, "n_folds": 4},
        {"kind": "5x2"},
        {"kind": "holdout", "repeats": 7},
        {"kind": "downsample", "repeats": 2, "sizes": [10, 20, 30]},
    ],
)
def test_the_number_of_splits_is_known_without_listing_them(scheme):
    plan = Plan(datasets=["iris"], learners={"a": "sklearn.naive_bayes.GaussianNB"}, scheme=scheme)
    assert plan.scheme.n_splits == len(list(plan.scheme.splits()))


def test_samples_of_given_sizes_are_numbered_by_their_repeat_alone():
    """The number of the fold is in the keys of all stores."""
    splits = plan(scheme={"kind": "downsample", "sizes": [5, 9], "repeats": 2}).units()
    assert {(u.split.size, u.split.repeat, u.split.fold) for u in splits} == {
        (size, repeat, 0) for size in (5, 9) for repeat in (0, 1)
    }


def test_one_data_set_with_a_table_of_its_own_is_not_taken_for_several():
    entry = {"source": "iris", "scheme": {"n_folds": 3}}
    assert keys(plan(datasets=entry)) == keys(plan(datasets=[entry]))
