"""One small, fixed example of every public result type, with class names of the caller's choice."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.experiments.filled import fill
from wager import (
    compare,
    costs,
    credal,
    learners,
    metrics,
    partitions,
    predictions,
    prepare,
    report,
    rewards,
)
from wager.experiments import Demo, Failure, Plan, Progress, Repair, RunSummary, meta_metric
from wager.experiments.run import TimeEstimate
from wager.rewards import elicit

PLAIN = ("benign", "malignant", "unclear")
UTILITIES = ("u65", "u80")


@cache
def examples(folder: Path, classes: tuple[str, ...] = PLAIN, n: int = 120) -> dict[str, Any]:
    """One value of each type, by name: ``compare.BreakEven`` and others."""
    found: dict[str, Any] = {}

    def add(package: str, *values: Any) -> None:
        for value in values:
            found[f"{package}.{type(value).__name__}"] = value

    rng = np.random.default_rng(3)
    labels = np.array(classes)
    y = labels[rng.integers(3, size=n)]
    scores = 1.7 * (y[:, None] == labels) + rng.normal(size=(n, 3))
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rival = np.exp(scores / 3) / np.exp(scores / 3).sum(axis=1, keepdims=True)
    sets = proba >= 0.4 * proba.max(axis=1, keepdims=True)
    plain = labels[proba.argmax(axis=1)]
    names = (f"{classes[0]} A", f"{classes[1]} B")
    by = np.array([f"{classes[2]} {g}" for g in rng.integers(3, size=n)])
    both = {names[0]: sets, names[1]: plain}
    known = {"classes": labels}

    tally = rewards.Tally.of(y, sets, **known)
    paired = rewards.PairedTally.of(y, sets, plain, **known)
    evaluated = rewards.evaluate_probabilities(y, proba, **known)
    estimate = evaluated.tally.score("log_loss")
    add("rewards", tally, paired, tally.score("u65"), tally.moments(), tally.decompose())
    add("rewards", paired.difference("u65"), rewards.ClassTally.of(y, sets, **known))
    add("rewards", rewards.GroupTally.of(by, y, sets, **known), rewards.evaluate_by(by, y, sets))
    add("rewards", rewards.ProbabilityTally.of(y, proba, **known), evaluated, estimate)
    add("rewards", rewards.calibration_test(evaluated.reliability_top_label, n_resamples=99))
    add("rewards", evaluated.reliability_top_label, metrics.brier_decomposition(y, proba, **known))
    add("rewards", rewards.game_value(rewards.extended_reward_matrix(3, "u65")[:3]))
    add("rewards", rewards.random_vs_vacuous(7, 3), rewards.expected_utility_of_bets(tally, 7))
    add("rewards", metrics.set_confusion(y, sets, **known), rewards.evaluate_sets(y, sets))
    add("rewards", metrics.make_set_scorer("utility_discounted_accuracy", utility="u65"))
    ranked = rewards.evaluate_selective(y, plain, proba.max(axis=1), **known)
    noisy = rewards.evaluate_selective(y, plain, rival.max(axis=1) ** 2 * rng.random(n), **known)
    add("rewards", ranked, ranked.coverage_at_risk(0.123456789), ranked.abstain(0.123456789))
    add("compare", compare.compare_selective(ranked, noisy, names=names))
    tabulated = rewards.Tabulated([1, 2 / 3, 1 / 3])
    add("rewards", rewards.MEASURES["coverage_gap"], rewards.SET_SCORES["coverage"], tabulated)
    add("rewards", rewards.Linear(), rewards.Quadratic(2 / 3), rewards.FBeta(1 / 3))
    add("rewards", rewards.Logarithmic(), rewards.Exponential.through(2 / 3))
    add("rewards", rewards.Power(1 / 3), rewards.Custom(np.sqrt))
    add("rewards", rewards.human_utility({2: 2 / 3, 3: 1 / 3}, n=70))
    add("rewards", rewards.pvalue_efficiency(y, proba, **known))
    add("rewards", rewards.pvalue_uniformity(y, proba, n_calibration=99, **known))
    covered = rewards.coverage_report(y, sets, {classes[1]: by}, alpha=0.1, **known)
    cautious = rewards.caution_by_group(by, y, sets, **known)
    add("rewards", covered, covered.parts[0], cautious, cautious.gaps[0])
    add("rewards", rewards.worst_slice(y, sets, scores, n_directions=3, **known))
    session = elicit.Session(n_classes=3)
    while session.question is not None:
        add("rewards.elicit", session.question)
        session = session.answer("set" if session.question.chance < 0.65 else "chance")
    elicited = session.result()
    add("rewards.elicit", session, elicited, elicited.brackets[0], elicited.fit("quadratic"))

    matrix = costs.CostMatrix([[0, 7.123456789, 3], [91.7, 0, 40], [5, 5, 0]], labels, unit="EUR")
    extended = matrix.extend("p-discounted", r=1 / 3)
    audited = costs.audit(extended)
    priced = costs.evaluate_costs(y, sets, extended, **known)
    add("costs", matrix, extended, audited, audited[3], audited.choice)
    add("costs", next(iter(audited.witnesses.values())), priced, priced.errors, priced.errors[0])
    add("costs", costs.CostTally.of(y, sets, **known), extended.can_be_optimal({classes[0]}))
    by_class = costs.SetRewards.by_class("u65", [1, 1 / 3, 7], labels, unit="EUR")
    add("costs", by_class, costs.evaluate_rewards(y, sets, by_class, by=by, **known))
    add("costs", costs.evaluate_ordered(y, sets, class_order=labels, **known))
    tree = costs.ClassHierarchy({f"{classes[0]} tree": list(classes[:2]), classes[2]: None})
    add("costs", tree, costs.evaluate_hierarchy(y, sets, tree, **known))
    yes_or_no = costs.CostMatrix([[0, 7], [3, 0]], labels[:2]).extend("p-discounted", r=1 / 3)
    add("costs", costs.decision_intervals(yes_or_no)[1])
    pair = (classes[0], classes[1])
    says = costs.SetCost(pair, classes[0], 2 / 3)
    add("costs", says, costs.CostRatio(pair, classes[0], classes[1], 1 / 3))
    add("costs", costs.ExpectedCost(pair, {classes[0]: 1 / 3, classes[1]: 2 / 3}, 0.123456789))
    try:
        costs.complete(matrix, [says, costs.SetCost(pair, classes[0], 1 / 3)])
    except costs.ContradictoryAnswersError as error:
        add("costs", error.conflicts[0])

    intervals = predictions.ProbabilityIntervals(0.8 * proba, 0.8 * proba + 0.2, labels)
    vertices = credal.CredalVertices(np.stack([proba, rival], axis=1), labels)
    add("credal", vertices, *credal.optimal_sets(proba, "u65", return_info=True, **known)[1:])
    part = partitions.standardize(y, proba, **known)
    add("partitions", part, part.measures_before, part.estimates["accuracy"], part.regions[0])
    add("partitions", part.regions[0].steps[0], partitions.beta_moments([0.2, 0.35, 0.7]))
    add("partitions", partitions.class_frequencies(by[:, None], y, **known))
    measured = part.transform(proba, y)
    add("partitions", measured, measured.regions[0])

    add("predictions", predictions.as_sets(sets, labels), intervals)
    best = np.argsort(-proba, axis=1)[:, :2]
    top = np.take_along_axis(proba, best, axis=1)
    add("predictions", predictions.TopKProbabilities(labels[best], top, labels))
    path = folder / "sets.csv"
    predictions.write_predictions(path, y, sets=sets, group=by, **known)
    scanned = predictions.scan_predictions(path)
    add("predictions", predictions.read_predictions(path), scanned)
    add("predictions", scanned.count(), scanned.count_groups())
    columns = {"size": np.arange(n) / 7, "kind": by, "class": y}
    add("prepare", prepare.Dataset.from_columns("tumours", columns, target="class"))

    table = np.column_stack([by, labels[(proba * 3).astype(int).argmax(axis=1)]])
    credal_model = learners.NaiveCredal().fit(table, y)
    gap = np.array([[None, table[0, 1]]], dtype=object)
    add("learners", credal_model.explain_set(table[:1]), credal_model.smallest_change(gap))
    for model in (
        learners.CredalModelAveraging(),
        learners.CredalTree(),
        learners.CredalForest(5, random_state=0),
        learners.CredalForest(5, combine="average", random_state=0),
        learners.NestedDichotomies("random", random_state=0),
    ):
        add("learners", model.fit(table, y).explain_set(table[:1]))
    tuned = learners.TunedCaution(learners.NaiveCredal(), strengths=[1 / 3, 2 / 3, 1], cv=3)
    add("learners", tuned.fit(table, y).curve_)

    met = compare.head_to_head(y, both, UTILITIES, **known)
    add("compare", met)
    add("compare", compare.break_even(paired, names=names), met.best_ranges[0])
    joint = compare.PairedCosts.of(y, sets, plain, **known)
    add("compare", joint, joint.amounts(extended))
    by_probability = {names[0]: proba, names[1]: rival}
    compared = compare.compare_probabilities(y, by_probability, **known)
    pair_of = compare.PairedProbabilities.of(y, proba, rival, **known)
    add("compare", compared, pair_of, pair_of.difference("log_loss"), compared.adjustment)
    add("compare", compare.risk_profile({names[0]: tally, names[1]: paired.b}))
    add("compare", compare.sample_size(paired, names=names))
    add("compare", compare.indeterminate_gain(y, sets, plain, **known, names=names))
    add("compare", compare.least_variance_winner({names[0]: tally, names[1]: paired.b}))
    add("compare", compare.paired_t(proba[:20, 0], rival[:20, 0], names=names))
    sequence = compare.sequential(y, sets, plain, names=names, **known)
    add("compare", sequence, sequence.state)
    watched = compare.Monitor.start(reference=tally, window=50).update(y, sets, **known)
    add("compare", watched, watched.tests[0], watched.windows[0])
    running = rewards.RunningMeasure("u65")
    running.update(classes[0], set(classes[:2]))
    add("rewards", running)
    table = np.column_stack([rng.random(12), 1 + rng.random(12), 2 + rng.random(12)])
    add("compare", compare.nemenyi(table, names=classes))
    add("compare", compare.repeated_measures_anova(rng.random((8, 2, 3)), factors=names))
    add("compare", compare.over_datasets({"u65": table, "u80": table + 0.1}, names=classes))
    add("compare", compare.wins_table({"u65": (table[:, :2], table[:, 1:])}, names=names))

    plan = Plan(
        datasets=["iris"],
        learners={"nbc": {"learner": "naive-bayes"}, "ncc": {"learner": "naive-credal"}},
        scheme={"kind": "cross-validation", "n_folds": 3},
        prepare={"discretize": "mdl"},
    )
    store = fill(plan, folder / "store")
    units = plan.units()
    tallies = {names[0]: tally, "naive Bayes": paired.b}
    add("experiments", plan, store, store.scores("u65"), store.pivot("u65"))
    add("experiments", store.tally("iris", "ncc"), store.paired("iris", "ncc", "nbc"))
    add("experiments", RunSummary(6, 0, 5, [(units[0], f"no {classes[0]}")], 3.123456789))
    add("experiments", Progress(6, done=5, latest=units[0], seconds=3.123456789))
    add("experiments", Failure("iris", None, 0, 1, names[0], f"no {classes[0]}", "a\nb"))
    add("experiments", Repair(5, 1, folder / names[0]))
    ranked_by = {names[0]: "brier", names[1]: "auc"}
    tried = ["naive-bayes", "tan"], {classes[0]: "random-tan"}
    add("experiments", meta_metric(ranked_by, *tried, n_models=2, test_rows=9, truth_rows=20))
    add("experiments", Demo(tallies, {names[0]: paired}))
    seconds = {names[0]: 1.123456789, names[1]: 12.987654321}
    add("experiments", TimeEstimate(seconds, dict.fromkeys(names, 3), cut_short=True))

    given = [rewards.get_utility("u65")]
    scored = report.score_file(scanned, "sets.csv", given)
    add("report", scored, scored.scores[1], report.score_groups(scanned, "sets.csv", given))
    add("report", report.MembershipChoice("softmax", 1 / 3), report.page(met))
    add("report", report.explain("break_even"))
    add("report", report.monitor_log(path, folder / "monitor.json", coverage=0.123456789))
    return found
