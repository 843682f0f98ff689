"""Draw the figures of the documentation: ``python docs/images/make.py``, or ``make figures``.

Each function draws one figure from the library's own results, on data that everyone has, and
returns it with its *facts*: the numbers that the figure shows.  A test compares them with the
numbers in the texts beside the figure.  The figures of the studies are drawn by ``studies.py``, the
screenshots of the report by ``report.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import wager
from wager import compare, plots
from wager.costs import CostMatrix

HERE = Path(__file__).parent
Facts = dict[str, str]  # the number at {} in texts such as "decided at row {}"


def demo_risk_profile() -> tuple[Any, Facts]:
    """What `wager demo` draws: three cautious classifiers beside naive Bayes."""
    from wager.experiments import run_demo

    found = run_demo()
    figure = plots.plain_figure((7.4, 4.6))
    plots.plot_risk_profile(found.profile, found.break_evens, figure.subplots())
    credal = found.break_evens["naive credal", "naive Bayes"]
    best = found.break_evens["optimal F1 sets", "naive Bayes"]
    return figure, {
        "break-even points at {} and": f"{credal.value:.2f}",
        f"break-even points at {credal.value:.2f} and {{}}": f"{best.value:.2f}",
        "cross at {}, with": f"{credal.value:.2f}",
        "95% interval of {}: naive Bayes": "{:.2f}-{:.2f}".format(*credal.interval),
        "worth less than {} of": f"{credal.interval[0]:.2f}",
    }


def risk_profile() -> tuple[Any, Facts]:
    """Naive Bayes and the naive credal classifier on handwritten digits."""
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveBayes, NaiveCredal
    from wager.prepare import MDLDiscretizer

    X_train, X_test, y_train, y_test = _digits()
    precise = make_pipeline(MDLDiscretizer(), NaiveBayes()).fit(X_train, y_train)
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal()).fit(X_train, y_train)
    names = ("naive credal", "naive Bayes")
    bets = wager.PairedTally.of(y_test, wager.predict_set(credal, X_test), precise.predict(X_test))
    profile = wager.risk_profile(dict(zip(names, (bets.a, bets.b), strict=True)))
    even = wager.break_even(bets, names=names)
    figure = plots.plain_figure((7.0, 4.0))
    plots.plot_risk_profile(profile, {names: even}, figure.subplots())
    return figure, {
        "cross at {}](": f"{even.value:.2f}",
        "naive Bayes for u(0.5) above {}, naive Bayes below": f"{even.interval[1]:.2f}",
    }


def decision() -> tuple[Any, Facts]:
    """Expected cost of naming healthy, ill, or both."""
    ill = CostMatrix([[0, 4], [2, 0]], classes=["healthy", "ill"])
    figure = plots.plain_figure((6.4, 3.6))
    plots.plot_decision(ill.extend("p-discounted", r=0.5), figure.subplots())
    return figure, {}


def credal() -> tuple[Any, Facts]:
    """Three diseases, probabilities between bounds, and what to predict."""
    names = ["healthy", "bronchitis", "pneumonia"]
    costs = CostMatrix([[0, 2, 4], [1, 0, 2], [4, 3, 0]], names)
    known = wager.ProbabilityIntervals([[0.1, 0.1, 0.3]], [[0.4, 0.5, 0.7]], classes=names)
    figure = plots.plain_figure((5.6, 4.6))
    plots.plot_credal(known, 0, figure.subplots(), costs=costs)
    return figure, {}


def human() -> tuple[Any, Facts]:
    """The measured utility of a nurse, beside u65 and u80."""
    nurse = wager.human_utility({2: 0.9, 3: 0.8, 4: 0.6}, n=60, cost=0.05).named("nurse")
    figure = plots.plain_figure((5.6, 4.2))
    plots.plot_utilities(["u65", "u80", nurse], figure.subplots())
    return figure, {}


def reward_curves() -> tuple[Any, Facts]:
    """What rewards pay for a report on three classes."""
    figure = plots.plain_figure((6.4, 3.8))
    plots.plot_reward_curves(ax=figure.subplots())
    return figure, {}


def standardized() -> tuple[Any, Facts]:
    """Decision values of a support vector machine on the irises, before and after scaling."""
    from sklearn.datasets import load_iris
    from sklearn.model_selection import cross_val_predict
    from sklearn.svm import SVC

    iris = load_iris()
    scores = cross_val_predict(SVC(), iris.data, iris.target, cv=10, method="decision_function")
    memberships = wager.to_memberships(scores, kind="softmax")
    labels = iris.target_names[iris.target]
    partition = wager.standardize(labels, memberships, classes=iris.target_names)
    figure = plots.plain_figure((7.6, 4.2))
    plots.plot_standardization(partition, figure=figure)
    return figure, {}


def critical_difference() -> tuple[Any, Facts]:
    """Nemenyi's test of four classifiers over made-up scores on twelve data sets."""
    rng = np.random.default_rng(0)
    scores = 0.8 + rng.normal(0, 0.05, (12, 1)) + rng.normal([0, 0.02, 0.03, 0.06], 0.02, (12, 4))
    names = ["naive Bayes", "C4.5", "naive credal", "credal forest"]
    found = compare.nemenyi(scores, names=names)
    figure = plots.plain_figure((7.0, 2.4))
    plots.plot_critical_difference(found, figure.subplots())
    ranks = zip(names, found.mean_ranks, strict=True)
    return figure, {f"\n{name} {{}}\n": f"{rank:.3f}" for name, rank in ranks}


def confidence_sequence() -> tuple[Any, Facts]:
    """Two classifiers on a stream of digits, with bounds that hold at every row."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    X_train, X_test, y_train, y_test = _digits()
    near = KNeighborsClassifier().fit(X_train, y_train).predict(X_test)
    bayes = GaussianNB().fit(X_train, y_train).predict(X_test)
    race = compare.sequential(y_test, near, bayes, names=("nearest neighbours", "naive Bayes"))
    figure = plots.plain_figure((6.6, 3.8))
    plots.plot_confidence_sequence(race, figure.subplots())
    return figure, {
        "decided at row {}": str(race.decided_at),
        "exclude 0 from row {} on](": str(race.decided_at),
    }


def utilities() -> tuple[Any, Facts]:
    """What a correct set of 1, 2, 3 and 4 classes is worth under four utilities."""
    figure = plots.plain_figure((6.2, 4.4))
    plots.plot_utilities(["u65", "u80", "f1", "log-norm"], figure.subplots())
    return figure, {"u65 [1. {} 0.467": f"{wager.get_utility('u65').of_size([2])[0]:.2f}"}


def random_vs_vacuous() -> tuple[Any, Facts]:
    """What naming all classes is worth above guessing one, for the total of m bets."""
    from wager.rewards import inversion_point

    figure = plots.plain_figure((7.0, 4.0))
    plots.plot_random_vs_vacuous(ax=figure.subplots())
    return figure, {"for three classes it is largest at {} bets": str(inversion_point(3, "log"))}


def intervals() -> tuple[Any, Facts]:
    """The 95% intervals of u65 on 40 simulated test sets of 50 rows, and the true value."""
    cells = [(1, 1, 0.6), (1, 0, 0.1), (2, 1, 0.25), (2, 0, 0.05)]  # size, hit, probability
    known = wager.Tally.from_distribution(cells, n_classes=3)
    truth = known.expected_utility("u65")
    rng = np.random.default_rng(0)
    figure = plots.plain_figure((7.0, 3.4))
    ax, missed = figure.subplots(), 0
    for i in range(40):
        table = np.zeros((4, 2), dtype=np.int64)
        counts = rng.multinomial(50, [p for *_, p in cells])
        for (size, hit, _), n in zip(cells, counts, strict=True):
            table[size, hit] = n
        estimate = wager.Tally(table).estimate("u65")
        low, high = estimate.interval()
        wrong = not low <= truth <= high
        missed += wrong
        colour = plots.series_colour(int(wrong))
        ax.plot([i, i], [low, high], color=colour, linewidth=3.0 if wrong else 1.5)
        ax.plot(i, estimate.value, "o", color=colour, markersize=3.5)
    ax.axhline(truth, color="0.3", linewidth=1, linestyle="--")
    ax.set(xlabel="simulated test sets of 50 rows", ylabel="u65, with 95% interval", xticks=[])
    ax.set_title(f"{40 - missed} of 40 intervals contain the true value, {truth:.4f}", fontsize=10)
    plots.style_axes(ax)
    return figure, {
        "{} of 40 intervals contain": str(40 - missed),
        "the true value, {}": f"{truth:.4f}",
    }


def paired_difference() -> tuple[Any, Facts]:
    """The intervals of two scores overlap; the paired interval of their difference excludes 0."""
    bets = _digit_bets()
    scores = bets.a.estimate("u50"), bets.b.estimate("u50")
    difference = bets.difference("u50")
    unpaired = 1.96 * float(np.hypot(*(score.standard_error for score in scores)))
    figure = plots.plain_figure((7.4, 2.6))
    left, right = figure.subplots(1, 2)

    def draw(ax: Any, row: int, name: str, ends: Any, middle: float, colour: int) -> None:
        ax.plot(ends, [row, row], color=plots.series_colour(colour), linewidth=3)
        ax.plot(middle, row, "o", color=plots.series_colour(colour), markersize=7)
        ax.text(middle, row + 0.18, name, ha="center", color=plots.text_colour(colour))

    for row, (name, score) in enumerate(zip(("naive credal", "naive Bayes"), scores, strict=True)):
        draw(left, row, name, score.interval(), score.value, row)
    wide = difference.mean - unpaired, difference.mean + unpaired
    draw(right, 0, "as if on different rows", wide, difference.mean, 6)
    draw(right, 1, "on the same rows (paired)", difference.interval(), difference.mean, 2)
    right.axvline(0, color="0.3", linewidth=1, linestyle="--")
    left.set(xlabel="discounted accuracy (u50)", title="Two scores")
    right.set(xlabel="naive credal - naive Bayes", title="Their difference")
    for ax in (left, right):
        ax.set(ylim=(-0.4, 1.6), yticks=[])
        plots.style_axes(ax)
    return figure, {"u50: -{} (-": f"{difference.mean:+.4f}".lstrip("+-")}


def dominance() -> tuple[Any, Facts]:
    """Mean rewards under a cap: naive Bayes is above random draws at every cap."""
    from wager.learners import KRandom, NaiveBayes, NaiveCredal

    draws = KRandom(NaiveCredal(), random_state=0)
    y_test, (labels, sets, drawn) = _digit_predictions(NaiveBayes(), NaiveCredal(), draws)
    figure = plots.plain_figure((7.0, 3.8))
    ax, caps = figure.subplots(), np.linspace(0.02, 1, 99)
    named = {"naive Bayes": labels, "naive credal": sets, "random draws": drawn}
    for i, (name, given) in enumerate(named.items()):
        table = np.asarray(wager.Tally.of(y_test, given, classes=range(10)).table)
        sizes = np.arange(1, len(table))
        capped = [np.sum(table[1:, 1] * np.minimum(1 / sizes, t)) / table.sum() / t for t in caps]
        style = {"color": plots.series_colour(i), "linestyle": plots.series_line(i)}
        ax.plot(caps, capped, linewidth=2, label=name, **style)
    ax.set(xlabel="cap t on the reward", ylabel="mean of min(reward, t), divided by t")
    ax.legend(frameon=False)
    plots.style_axes(ax)
    return figure, {}


def more_repeats() -> tuple[Any, Facts]:
    """P-values of two tests on the same folds, as a cross-validation is repeated."""
    from sklearn.datasets import load_wine
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from wager.learners import OptimalSets
    from wager.metrics import make_set_scorer

    X, y = load_wine(return_X_y=True)
    near = make_pipeline(StandardScaler(), KNeighborsClassifier(15))
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    scorer, learners = make_set_scorer("u65"), (OptimalSets(near, utility="u65"), GaussianNB())
    a, b = (cross_val_score(m, X, y, cv=folds, scoring=scorer) for m in learners)
    repeats = np.arange(1, 11)
    naive = [compare.paired_t(a[: 10 * n], b[: 10 * n]).p for n in repeats]
    right = [compare.corrected_t(a[: 10 * n], b[: 10 * n], n_train=9, n_test=1).p for n in repeats]
    figure = plots.plain_figure((7.0, 3.6))
    ax = figure.subplots()
    for i, (name, p) in enumerate({"corrected t-test": right, "paired t-test": naive}.items()):
        style = {"color": plots.series_colour(i), "linestyle": plots.series_line(i)}
        ax.plot(repeats, p, marker=plots.series_marker(i), linewidth=2, label=name, **style)
    ax.axhline(0.05, color="0.3", linewidth=1, linestyle="--")
    ax.text(10, 0.045, "p = 0.05", color="0.3", va="top", ha="right")
    ax.set(xlabel="repeats of the ten folds", ylabel="p-value", yscale="log", xticks=repeats)
    ax.legend(frameon=False)
    plots.style_axes(ax)
    return figure, {"naive Bayes (p = {})\n```\n\nThe ordinary": f"{right[-1]:.4f}"}


def rows_needed() -> tuple[Any, Facts]:
    """Rows that decide between two classifiers with probability 80%, by u(0.5)."""
    bets = _digit_bets()
    grid = np.linspace(0.5, 1, 101)
    rows = [compare.sample_size(bets, float(q)).n for q in grid]
    figure = plots.plain_figure((7.0, 3.6))
    ax = figure.subplots()
    ax.plot(grid, rows, color=plots.series_colour(0), linewidth=2)
    even = compare.break_even(bets).value
    ax.axvline(even, color="0.3", linewidth=1, linestyle="--")
    ax.text(even + 0.012, 150, f"break-even point, {even:.2f}", color="0.3")
    ax.set(xlabel="u(0.5)", ylabel="rows needed", yscale="log", ylim=(100, 1e5))
    plots.style_axes(ax)
    return figure, {"**{} rows** decide": f"{compare.sample_size(bets, 'u65').n:,}"}


def costs_of_sets() -> tuple[Any, Facts]:
    """The p-discounted costs of the sets of three diagnoses."""
    names = ["healthy", "bronchitis", "pneumonia"]
    costs = CostMatrix([[0, 2, 4], [1, 0, 2], [4, 3, 0]], names)
    figure = plots.plain_figure((6.4, 3.8))
    plots.plot_costs(costs.extend("p-discounted", r=0.5), figure.subplots())
    return figure, {}


def reliability() -> tuple[Any, Facts]:
    """Reported probabilities of Gaussian naive Bayes against observed frequencies."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    proba = GaussianNB().fit(X_train, y_train).predict_proba(X_test)
    figure = plots.plain_figure((5.6, 4.4))
    plots.plot_reliability(wager.evaluate_probabilities(y_test, proba), ax=figure.subplots())
    error = wager.metrics.top_label_calibration_error(y_test, proba)
    return figure, {"\nerror {}\n": f"{error:.4f}"}


def fewer_sets_with_data() -> tuple[Any, Facts]:
    """The naive credal classifier on more and more training rows."""
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveBayes, NaiveCredal
    from wager.prepare import MDLDiscretizer

    X_train, X_test, y_train, y_test = _digits()
    sizes, found = [50, 100, 200, 400, 898], []
    for n in sizes:
        rows = X_train[:n], y_train[:n]
        credal = make_pipeline(MDLDiscretizer(), NaiveCredal()).fit(*rows)
        plain = make_pipeline(MDLDiscretizer(), NaiveBayes()).fit(*rows)
        sets, right = wager.predict_set(credal, X_test), plain.predict(X_test) == y_test
        single = sets.sum(axis=1) == 1
        found.append([single.mean(), right[single].mean(), right[~single].mean()])
    names = [
        "share of single answers",
        "accuracy of naive Bayes where the answer is single",
        "accuracy of naive Bayes where it is a set",
    ]
    figure = plots.plain_figure((7.0, 4.2))
    ax = figure.subplots()
    for i, (name, values) in enumerate(zip(names, np.transpose(found), strict=True)):
        style = {"color": plots.series_colour(i), "linestyle": plots.series_line(i)}
        ax.plot(sizes, values, marker=plots.series_marker(i), linewidth=2, label=name, **style)
    ax.set(xlabel="training rows", xscale="log", ylim=(0, 1.02), ylabel="share of the test rows")
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    figure.legend(loc="outside upper left", frameon=False)
    plots.style_axes(ax)
    return figure, {
        "from {}% of the answers": f"{100 * found[0][0]:.0f}",
        "to {}% with all": f"{100 * found[-1][0]:.0f}",
    }


def tree() -> tuple[Any, Facts]:
    """A credal tree of the irises."""
    from sklearn.datasets import load_iris

    from wager.learners import CredalTree

    iris = load_iris()
    short = np.array(["set", "ver", "vir"])[iris.target]
    figure = plots.plain_figure((7.4, 3.6))
    plots.plot_tree(CredalTree(max_depth=2).fit(iris.data, short), figure.subplots())
    return figure, {}


def network() -> tuple[Any, Facts]:
    """The network that CausalMML finds among rain, sprinkler, noise and wet grass."""
    from wager.learners import CausalMML

    rng = np.random.default_rng(1)
    rain = rng.integers(2, size=500)
    sprinkler = np.where(rng.random(500) < 0.8, 1 - rain, rng.integers(2, size=500))
    wet = np.where(rng.random(500) < 0.9, rain | sprinkler, 0)
    X = np.column_stack([rain, sprinkler, rng.integers(2, size=500)])
    model = CausalMML(search_factor=0.1, random_state=0).fit(X, wet)
    figure = plots.plain_figure((5.2, 3.2))
    plots.plot_network(model, figure.subplots())
    return figure, {"('x1', 'x0')] {}\n": f"{model.message_length_:.1f}"}


def cuts() -> tuple[Any, Facts]:
    """Where the petal length of irises is cut into intervals."""
    from sklearn.datasets import load_iris

    from wager.prepare import MDLDiscretizer

    iris = load_iris()
    length = iris.data[:, 2]
    found = MDLDiscretizer().fit(iris.data, iris.target).cuts_[2]
    figure = plots.plain_figure((7.0, 3.2))
    ax, bins = figure.subplots(), np.arange(1, 7.01, 0.2)
    groups = [length[iris.target == c] for c in range(3)]
    colours = [plots.series_colour(i) for i in range(3)]
    ax.hist(groups, bins=bins, stacked=True, color=colours, label=list(iris.target_names))
    for cut in found:
        ax.axvline(cut, color="0.2", linewidth=1.2, linestyle="--")
        ax.text(cut + 0.04, 27.5, f"{cut:.2f}", color="0.2")
    ax.set(xlabel="petal length (cm)", ylabel="rows", ylim=(0, 30))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(0.27, 0.6))
    plots.style_axes(ax)
    return figure, {
        "length (cm) [{}, 4.75]": f"{found[0]:.2f}",
        "length (cm) [2.45, {}]": f"{found[1]:.2f}",
    }


def regions() -> tuple[Any, Facts]:
    """Where one, two or three species of iris are named, by two measurements."""
    from sklearn.datasets import load_iris
    from sklearn.neighbors import KNeighborsClassifier

    from wager.learners import OptimalSets

    iris = load_iris()
    X, y = iris.data[:, 2:], iris.target
    model = OptimalSets(KNeighborsClassifier(15), utility="u80").fit(X, y)
    x0, x1 = np.meshgrid(np.linspace(0.8, 7.1, 190), np.linspace(0, 2.7, 110))
    sets = model.predict_set(np.column_stack([x0.ravel(), x1.ravel()]))
    several = (sets.sum(axis=1) > 1).reshape(x0.shape).astype(float)
    first = sets.argmax(axis=1).reshape(x0.shape).astype(float)
    figure = plots.plain_figure((7.0, 4.2))
    ax = figure.subplots()
    colours = [plots.series_colour(i) for i in range(3)]
    ax.contourf(x0, x1, first, levels=[-0.5, 0.5, 1.5, 2.5], colors=colours, alpha=0.18)
    ax.contourf(x0, x1, several, levels=[0.5, 1.5], colors=["#ffffff"])
    ax.contourf(x0, x1, several, levels=[0.5, 1.5], colors=["none"], hatches=["//"])
    for i, name in enumerate(iris.target_names):
        style = {"color": colours[i], "marker": plots.series_marker(i)}
        ax.plot(*X[y == i].T, linestyle="", markersize=4, label=name, **style)
    ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    figure.legend(loc="outside right upper", frameon=False)
    plots.style_axes(ax)
    return figure, {}


def set_outcomes() -> tuple[Any, Facts]:
    """What was predicted for wines of each class: one class or several, right or wrong."""
    from sklearn.datasets import load_wine
    from sklearn.model_selection import train_test_split
    from sklearn.neighbors import KNeighborsClassifier

    from wager.learners import OptimalSets

    X, y = load_wine(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    model = OptimalSets(KNeighborsClassifier(15), utility="u80").fit(X_train, y_train)
    sets = model.predict_set(X_test)
    single, hit = sets.sum(axis=1) == 1, sets[np.arange(len(y_test)), y_test]
    kinds = {
        "one class, right": single & hit,
        "several, with the true class": ~single & hit,
        "several, without it": ~single & ~hit,
        "one class, wrong": single & ~hit,
    }
    figure = plots.plain_figure((7.0, 3.4))
    ax, left = figure.subplots(), np.zeros(3)
    for (name, chosen), i in zip(kinds.items(), (2, 4, 5, 1), strict=True):
        share = np.array([np.mean(chosen[y_test == c]) for c in range(3)])
        ax.barh(range(3), share, left=left, color=plots.series_colour(i), label=name, height=0.7)
        left += share
    ax.set(xlabel="share of the rows", ylabel="true class", xlim=(0, 1))
    ax.set_yticks(range(3), ["0", "1", "2"])
    ax.invert_yaxis()
    figure.legend(loc="outside upper left", ncols=2, frameon=False)
    plots.style_axes(ax)
    return figure, {"89 predictions over 3 classes: {}% name": f"{100 * single.mean():.1f}"}


def conformal_scores() -> tuple[Any, Facts]:
    """Scores of the calibration rows, and the threshold that 95% of them do not exceed."""
    from sklearn.neighbors import KNeighborsClassifier

    X_train, _, y_train, _ = _digits()
    model = KNeighborsClassifier(15).fit(X_train[:600], y_train[:600])
    proba = model.predict_proba(X_train[600:])
    scores = np.sort(1 - proba[np.arange(len(proba)), y_train[600:]])
    threshold = scores[int(np.ceil((len(scores) + 1) * 0.95)) - 1]
    figure = plots.plain_figure((7.0, 3.0))
    ax = figure.subplots()
    ax.hist(scores, bins=np.linspace(-1 / 30, 1 + 1 / 30, 17), color=plots.series_colour(0))
    ax.axvline(threshold, color=plots.series_colour(1), linewidth=2, linestyle="--")
    ax.text(threshold + 0.02, 60, f"threshold {threshold:.2f}", color=plots.text_colour(1))
    ax.set(xlabel="1 - probability of the true class", ylabel="calibration rows", yscale="log")
    plots.style_axes(ax)
    return figure, {
        "the threshold is {},": f"{threshold:.2f}",
        "probability of at least {} is kept": f"{1 - threshold:.2f}",
    }


def venn_abers() -> tuple[Any, Facts]:
    """Both ends of the interval of a malignant tumour against the probability of naive Bayes."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB

    from wager.learners import VennAbers

    data = load_breast_cancer()
    X, y = data.data, data.target_names[data.target]
    X_train, X_rest, y_train, y_rest = train_test_split(X, y, train_size=100, random_state=0)
    X_cal, X_test, y_cal, _ = train_test_split(X_rest, y_rest, train_size=100, random_state=0)
    bayes = GaussianNB().fit(X_train, y_train)
    model = VennAbers(FrozenEstimator(bayes)).fit(X_cal, y_cal)
    column = int(np.flatnonzero(model.classes_ == "malignant")[0])
    score = bayes.predict_proba(X_test)[:, column]
    found, order = model.predict_credal(X_test), np.argsort(score)
    low, high = (ends[order, column] for ends in (found.lower, found.upper))
    figure = plots.plain_figure((7.0, 3.4))
    ax = figure.subplots()
    rank = np.arange(len(order))
    ax.fill_between(rank, low, high, step="mid", color=plots.series_colour(0), alpha=0.25)
    for ends, label in ((low, "Venn-Abers"), (high, None)):
        ax.step(rank, ends, where="mid", color=plots.series_colour(0), label=label)
    ax.plot(rank, score[order], ":", color=plots.series_colour(1), linewidth=2, label="naive Bayes")
    ax.set(xlabel="test rows, by the probability of naive Bayes", ylabel="probability of malignant")
    ax.legend(frameon=False, loc="upper left")
    plots.style_axes(ax)
    return figure, {}


def risk_coverage() -> tuple[Any, Facts]:
    """Two confidence scores of a naive Bayes classifier on handwritten digits."""
    from sklearn.naive_bayes import GaussianNB

    X_train, X_test, y_train, y_test = _digits()
    model = GaussianNB(var_smoothing=1e-3).fit(X_train, y_train)
    predicted, score = model.predict(X_test), model.predict_joint_log_proba(X_test)
    best = np.sort(score, axis=1)
    scores = {"margin": best[:, -1] - best[:, -2], "density": best[:, -1]}
    found = {
        name: wager.evaluate_selective(y_test, predicted, value) for name, value in scores.items()
    }
    figure = plots.plain_figure((6.4, 3.8))
    plots.plot_risk_coverage(found, figure.subplots())
    return figure, {}


def caution() -> tuple[Any, Facts]:
    """The naive credal classifier tuned for u80, on the training half of breast cancer."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline

    from wager.learners import NaiveCredal, TunedCaution
    from wager.prepare import MDLDiscretizer

    data = load_breast_cancer()
    y = data.target_names[data.target]
    X, _, y, _ = train_test_split(data.data, y, test_size=0.5, random_state=0, stratify=y)
    credal = make_pipeline(MDLDiscretizer(), NaiveCredal())
    tuned = TunedCaution(credal, utility="u80", random_state=0).fit(X, y)
    figure = plots.plain_figure((6.6, 3.8))
    plots.plot_caution(tuned, figure.subplots())
    return figure, {"its band; s = {} is chosen](": f"{tuned.best_strength_:.3g}"}


def explanation() -> tuple[Any, Facts]:
    """Why a naive credal classifier keeps both classes for a foggy day with little wind."""
    from wager.learners import NaiveCredal

    found, figure = _foggy_day(NaiveCredal(), 2.5)
    return figure, {"probabilities is {}, which": f"{found.ratio:.3g}"}


def explanation_tree() -> tuple[Any, Facts]:
    """Why the leaf of a credal tree keeps both classes on the same day."""
    from wager.learners import CredalTree

    found, figure = _foggy_day(CredalTree(s=2), 2.1)
    return figure, {"it leads by {} row, less": f"{found.lead:g}"}


def explanation_dichotomies() -> tuple[Any, Facts]:
    """Why nested dichotomies keep two of four classes on a sunny day."""
    import pandas as pd

    from wager.learners import NestedDichotomies

    way = ["bike", "bike", "walk", "walk", "bike", "walk", "bus", "car", "bus", "bus", "car", "car"]
    model = NestedDichotomies((("walk", "bike"), ("bus", "car")), s=1).fit(_days(), way)
    found = model.explain_set(pd.DataFrame({"weather": ["sunny"], "wind": ["low"]}))
    figure = plots.plain_figure((6.4, 2.3))
    plots.plot_explanation(found, figure.subplots())
    low, high = found.decisive.lower, found.decisive.upper
    return figure, {
        "it has a probability between {} and": f"{low:.3g}",
        f"probability between {low:.3g} and {{}} there": f"{high:.3g}",
    }


def _foggy_day(model: Any, height: float) -> tuple[Any, Any]:
    """The explanation of a prediction, and its figure."""
    import pandas as pd

    model.fit(_days(), ["out"] * 6 + ["in"] * 6)
    found = model.explain_set(pd.DataFrame({"weather": ["foggy"], "wind": ["low"]}))
    figure = plots.plain_figure((6.4, height))
    plots.plot_explanation(found, figure.subplots())
    return found, figure


def _days() -> Any:
    """Weather and wind of the days in the page about robustness."""
    import pandas as pd

    return pd.DataFrame(
        {
            "weather": ["sunny"] * 6 + ["rainy"] * 5 + ["foggy"],
            "wind": ["low", "low", "low", "high", "low", "low", "high", "high", "low"]
            + ["high"] * 3,
        }
    )


def coverage() -> tuple[Any, Facts]:
    """The coverage report of the page about coverage."""
    page = (HERE.parent / "guide" / "coverage.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0].replace("print(report)", "")
    found: dict[str, Any] = {}
    exec(code, found)
    report = found["report"]
    figure = plots.plain_figure((6.6, 3.6))
    plots.plot_coverage(report, figure.subplots())
    (oldest,) = (part for part in report.below if part.kind == "age")
    return figure, {"ages of {} and over are below 0.9](": oldest.name.removeprefix(">= ")}


FIGURES: dict[str, Callable[[], tuple[Any, Facts]]] = {
    "demo-risk-profile": demo_risk_profile,
    "risk-profile": risk_profile,
    "utilities": utilities,
    "random-vs-vacuous": random_vs_vacuous,
    "set-outcomes": set_outcomes,
    "intervals": intervals,
    "paired-difference": paired_difference,
    "dominance": dominance,
    "more-repeats": more_repeats,
    "rows-needed": rows_needed,
    "confidence-sequence": confidence_sequence,
    "critical-difference": critical_difference,
    "costs-of-sets": costs_of_sets,
    "decision": decision,
    "credal": credal,
    "human": human,
    "reward-curves": reward_curves,
    "reliability": reliability,
    "standardized": standardized,
    "fewer-sets-with-data": fewer_sets_with_data,
    "tree": tree,
    "network": network,
    "regions": regions,
    "conformal-scores": conformal_scores,
    "venn-abers": venn_abers,
    "cuts": cuts,
    "risk-coverage": risk_coverage,
    "caution": caution,
    "explanation": explanation,
    "explanation-tree": explanation_tree,
    "explanation-dichotomies": explanation_dichotomies,
    "coverage": coverage,
}


def _digits() -> Any:
    """Training and test halves of the handwritten digits, as in the pages."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, test_size=0.5, random_state=0)


def _digit_predictions(*learners: Any) -> tuple[Any, list[Any]]:
    """The true digits of the test half, and the predictions of learners on it."""
    from sklearn.pipeline import make_pipeline

    from wager.prepare import MDLDiscretizer

    X_train, X_test, y_train, y_test = _digits()
    models = [make_pipeline(MDLDiscretizer(), one).fit(X_train, y_train) for one in learners]
    return y_test, [wager.predict_set(model, X_test) for model in models]


def _digit_bets() -> Any:
    """The naive credal classifier and naive Bayes on the same digits, as in the pages."""
    from wager.learners import NaiveBayes, NaiveCredal

    y_test, (sets, labels) = _digit_predictions(NaiveCredal(), NaiveBayes())
    return wager.PairedTally.of(y_test, sets, labels)


def make(folder: Path = HERE) -> None:
    """Draw every figure into a folder."""
    for name, draw in FIGURES.items():
        plots.save(draw()[0], folder / f"{name}.svg")


if __name__ == "__main__":
    make()
