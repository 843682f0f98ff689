"""The public names, spelt as users and other programs call them: none moves or changes unnoticed.

A line is a call with its leading parameters and the defaults that matter.  What a function takes
beyond them is free; a name, an order or a default that differs fails here.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module

import pytest

NAMES = {
    "predictions": """
        as_sets(predictions, classes=None)
        PredictionSets.from_indicator(matrix, classes=None)
        PredictionSets.from_labels(labels, classes=None)
        PredictionSets.from_lists(lists, classes=None)
        PredictionSets.from_strings(strings, classes=None, sep="|")
        PredictionSets.from_masks(masks, classes)
        PredictionSets.contains(self, y)
        PredictionSets.to_indicator(self)
        PredictionSets.to_lists(self)
        PredictionSets.sizes
        ProbabilityIntervals(lower, upper, classes=None)
        ProbabilityIntervals.from_idm(counts, s)
        ProbabilityIntervals.from_contamination(p, epsilon)
        ProbabilityIntervals.is_proper
        ProbabilityIntervals.is_reachable
        ProbabilityIntervals.tighten(self)
        ProbabilityIntervals.vertices(self, row)
        ProbabilityIntervals.lower_expectation(self, f)
        ProbabilityIntervals.upper_expectation(self, f)
    """,
    "rewards": """
        Linear()
        Quadratic(u_half)
        FBeta(beta=1.0)
        Logarithmic(normalized=False)
        Exponential(a, normalized=False)
        Power(exponent)
        Tabulated(values)
        human_utility(accuracy_by_size, n=None)
        get_utility(spec)
        Quadratic.coefficients
        Exponential.through(u_half)
        Utility.inverse(self, v)
        Utility.derivative2(self, x)
        Utility.is_concave(self, n_classes=None)
        Tally.of(y_true, y_pred, classes=None, sample_weight=None)
        Tally.empty(n_classes)
        Tally.from_distribution(outcomes)
        Tally.expected_utility(self, utility)
        Tally.certainty_equivalent(self, utility)
        Tally.moments(self)
        Tally.decompose(self)
        PairedTally.of(y_true, pred_a, pred_b)
        PairedTally.difference(self, utility)
        SetScore(name, function, greater_is_better=True)
        SetScore.per_row(self, y_true, sets)
        extended_reward_matrix(n_classes, utility)
        expected_utility_of_bets(tally, m, utility, exact=True)
        random_vs_vacuous(m, n_classes, utility, exact=True)
        game_value(rewards)
    """,
    "metrics": """
        discounted_accuracy(y_true, y_pred)
        utility_discounted_accuracy(y_true, y_pred, utility="u65")
        certainty_equivalent(y_true, y_pred, utility)
        reward_variance(y_true, y_pred)
        determinacy(y_pred)
        single_accuracy(y_true, y_pred)
        set_accuracy(y_true, y_pred)
        coverage(y_true, y_pred)
        mean_set_size(y_pred)
        indeterminate_set_size(y_pred)
        empty_rate(y_pred)
        class_coverage(y_true, y_pred)
        size_stratified_coverage(y_true, y_pred)
        coverage_gap(y_true, y_pred, alpha)
        size_stratified_violation(y_true, y_pred, alpha)
        worst_size_coverage(y_true, y_pred)
        violated_classes(y_true, y_pred, alpha)
        difficulty_violation(y_true, y_pred, scores, alpha)
        singleton_hit_ratio(y_true, y_pred)
        size_coverage_hsic(y_true, y_pred)
        worst_slice_coverage(y_true, y_pred, X)
        conditional_coverage_error(y_true, y_pred, X, alpha)
        worst_slice(y_true, y_pred, X)
        coverage_report(y_true, y_pred, by=None)
        caution_by_group(by, y_true, y_pred, utility="u65")
        pvalue_efficiency(y_true, p_values, alpha=0.1)
        pvalue_uniformity(y_true, p_values)
        set_confusion(y_true, y_pred)
        area_of_ignorance(y_true, credal, precise)
        evaluate_sets(y_true, y_pred, utilities=("u50", "u65", "u80"))
        good_reward(y_true, proba)
        kononenko_bratko(y_true, proba, prior=None)
        information_reward_2002(y_true, proba, prior=None)
        information_reward(y_true, proba, prior=None)
        information_reward_bound(prior, true_class)
        kl_divergence(true_proba, proba)
        prior_from_counts(counts, start=0.5)
        prior_from_labels(y, classes, start=0.5)
        evaluate_probabilities(y_true, proba, prior=None)
        average_cost(y_true, y_pred, costs)
        average_reward(y_true, y_pred, rewards)
        evaluate_rewards(y_true, y_pred, rewards)
        contiguity_rate(y_pred, class_order=None)
        mean_width(y_pred, class_order=None)
        mean_distance_to_set(y_true, y_pred, class_order=None)
        ordinal_interval_score(y_true, y_pred, alpha=0.1, class_order=None)
        evaluate_ordered(y_true, y_pred, class_order=None)
        hierarchical_utility(y_true, y_pred, hierarchy, utility="u65", by="leaves")
        correct_at_depth(y_true, y_pred, hierarchy, depth=1)
        mean_node_depth(y_pred, hierarchy)
        node_error(y_true, y_pred, hierarchy)
        evaluate_hierarchy(y_true, y_pred, hierarchy)
        partition_accuracy(y_true, memberships, scale=True)
        separation(y_true, memberships, scale=True)
        correctness_rate(y_true, memberships)
        make_set_scorer(metric)
    """,
    "costs": """
        CostMatrix(costs, classes)
        CostMatrix.expected(self, proba)
        CostMatrix.zero_one(classes)
        CostMatrix.ordinal(classes, p=1)
        CostMatrix.ha(eta, classes)
        CostMatrix.extend(self, rule)
        ExtendedCosts.cost(self, labels, true)
        ExtendedCosts.matrix(self)
        ExtendedCosts.of(self, sets, y_true)
        ExtendedCosts.expected(self, sets, proba)
        ExtendedCosts.can_be_optimal(self, labels, against="members")
        SetRewards(rewards, classes)
        SetRewards.by_class(utility="u65", weights=None, classes=None)
        SetRewards.ordered(classes, utility="u65", penalty=0.0, power=1.0)
        SetRewards.as_costs(self)
        reward_difference(y_true, pred_a, pred_b, rewards)
        ClassHierarchy(tree, classes, sep="/")
        ClassHierarchy.rewards(self, utility, by, unit=None)
        ClassHierarchy.sets(self, nodes)
        CostTally.errors(self, costs)
        CostTally.evaluate(self, costs)
        cost_template(classes)
        generalized_mean(values, p)
        audit(extended)
        complete(costs, answers, properties)
    """,
    "credal": """
        CredalVertices(vertices, classes)
        decide(credal, rule="maximality", costs=None)
        optimal_sets(proba, utility="f1", costs=None, classes=None, return_info=False, rewards=None)
        reject(proba, threshold, classes=None)
        class_selective_rejection(proba, delta, eta=None)
        reject_credal(intervals, sets, threshold)
    """,
    "partitions": """
        standardize(y_true, memberships, classes=None, depth=1, ties="first")
        StandardizedPartition.accuracy
        StandardizedPartition.separation
        StandardizedPartition.correctness
        StandardizedPartition.confidence
        StandardizedPartition.regions
        StandardizedPartition.transform(self, memberships, y_true=None, rate="observed")
        precision(true_proba, memberships)
        separability(true_proba)
        to_memberships(scores, kind="softmax")
    """,
    "prepare": """
        load_dataset(name_or_path)
        MDLDiscretizer(encoding, single_bin="keep")
        EqualFrequencyDiscretizer()
        CfsSelector()
        ModeMeanImputer()
        NominalEncoder()
        MDLDiscretizer.get_feature_names_out
        EqualFrequencyDiscretizer.get_feature_names_out
        CfsSelector.get_feature_names_out
        ModeMeanImputer.get_feature_names_out
        NominalEncoder.get_feature_names_out
    """,
    "learners": """
        NaiveBayes(prior="laplace", classes=None, n_values=None, empty_classes="keep")
        TAN(search="bayes")
        AODE(smoothing="laplace")
        C45()
        CausalMML()
        BayesianModelAveraging()
        NaiveCredal(s=1.0, idm="global", missing="mar", epsilon=0.0, epsilon_model="floor")
        NaiveCredal(unseen="zero", reject=None)
        NaiveCredal.log_dominance(self, X)
        LazyNaiveCredal()
        CredalModelAveraging()
        CredalTree(criterion="iig", dominance="weak")
        CredalForest()
        NestedDichotomies()
        NestedDichotomyForest()
        Nondeterministic(estimator, beta=1.0)
        Rejecting(estimator, threshold)
        OptimalSets(estimator, utility="u65", costs=None)
        EnsembleCredal(estimator, envelope="minmax")
        CredalIntervals(estimator)
        Conformal(estimator, alpha=0.1, method="lac")
        VennAbers(estimator)
        CredalNeighbors(n_neighbors=15, s=1.0)
        Vacuous()
        RandomClass()
        KRandom(estimator)
    """,
    "compare": """
        paired_t(a, b)
        corrected_t(a, b)
        five_by_two_cv(a, b)
        sign_test(a, b)
        mcnemar(correct_a, correct_b)
        wilcoxon(a, b)
        friedman(scores)
        nemenyi(scores)
        holm(scores)
        bonferroni_dunn(scores)
        repeated_measures_anova(scores)
        bayesian_correlated_t(a, b)
        bayesian_signed_rank(a, b)
        bayesian_hierarchical(scores)
        objective_winner(tally_a, tally_b)
        least_variance_winner(tallies, tolerance)
        indeterminate_gain(y_true, credal, precise, utility)
        risk_profile(tallies, family="quadratic")
        break_even(a, b)
        break_even_accuracy(paired, cost=0.0)
        break_even_weight(paired, rewards, label)
        sequential(y_true, pred_a, pred_b, utility, alpha=0.05)
        PairedCosts.of(y_true, pred_a, pred_b, classes=None, sample_weight=None)
        PairedCosts.difference(self, costs)
        PairedCosts.amounts(self, costs)
        head_to_head(y_true, predictions, utilities=None)
    """,
    "experiments": """
        meta_metric(metrics, learners, generators)
        MetaMetric.estimate(self, metric, truth, test_rows)
        MetaMetric.trusted(self, truth, test_rows)
        Plan.load(path)
        run(plan, store, n_jobs, engine="local")
        Store(path)
        weka_folds(y, runs, seed)
        studies.get(name)
    """,
}  # fmt: skip
CALLS = [
    (package, line.strip())
    for package, lines in NAMES.items()
    for line in lines.strip().split("\n")
]
# Measures without rows to weigh, or without labels to know the classes of.
UNWEIGHTED = {"make_set_scorer", "information_reward_bound", "prior_from_counts"}
UNWEIGHTED |= {"prior_from_labels", "kl_divergence", "pvalue_uniformity", "worst_slice"}
UNWEIGHTED |= {"worst_slice_coverage", "conditional_coverage_error"}  # searches over rows


@pytest.mark.parametrize(("package", "call"), CALLS, ids=lambda text: text.split("(")[0])
def test_a_name_is_where_it_was_and_takes_what_it_took(package, call):
    wanted = ast.parse(call, mode="eval").body
    path = ast.unparse(wanted.func if isinstance(wanted, ast.Call) else wanted)
    found = import_module(f"wager.{package}")
    for step in path.split("."):
        found = getattr(found, step)
    if isinstance(wanted, ast.Call):
        taken = inspect.signature(found).parameters
        positional = [argument.id for argument in wanted.args]
        assert list(taken)[: len(positional)] == positional
        for keyword in wanted.keywords:
            assert taken[keyword.arg].default == ast.literal_eval(keyword.value)


@pytest.mark.parametrize("package", NAMES)
def test_the_names_are_listed_by_their_room(package):
    names = {re.split(r"[.(]", call)[0] for home, call in CALLS if home == package}
    assert names <= set(import_module(f"wager.{package}").__all__)


MEASURES = [call.split("(")[0] for package, call in CALLS if package == "metrics"]


@pytest.mark.parametrize("name", MEASURES)
def test_measures_take_weights_and_classes(name):
    taken = inspect.signature(getattr(import_module("wager.metrics"), name)).parameters
    if name not in UNWEIGHTED:
        assert taken["sample_weight"].default is None
        assert taken["classes"].default is None


@pytest.mark.parametrize("name", import_module("wager.learners").__all__)
def test_credal_classifiers_predict_sets(name):
    learner = getattr(import_module("wager.learners"), name)
    precise = {"AODE", "BayesianModelAveraging", "C45", "CausalMML", "NaiveBayes", "TAN"}
    assert hasattr(learner, "predict_set") == (name not in precise)
    assert getattr(import_module("wager"), name) is learner
