"""Which metric to trust: try metrics where the truth is known.

Hope & Korb (2004, Section 6) propose, as future work, to test evaluation functions empirically.
Learners are trained on data from known models, every metric ranks them on test sets of several
sizes, and the rankings are compared with those by the true probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from wager._tables import repeated
from wager._typing import Array, Floats, Ints
from wager._visible import brief
from wager.costs import CostMatrix
from wager.experiments._metric_agreement import (
    TRUTHS,
    Truth,
    agreement,
    random_costs,
    true_values,
)
from wager.experiments._ranking_metrics import (
    MetricLike,
    RankingMetric,
    read_metrics,
    scores_of_test_sets,
)
from wager.experiments._rankings import MetaMetric
from wager.experiments.plan import PreparedTable, find_generator, random_state_of
from wager.experiments.run import UnitData, predict, with_declared
from wager.learners import make_learner
from wager.rewards import prior_from_labels

__all__ = ["RankingTask", "meta_metric"]


class GeneratingModel(Protocol):
    """A model that draws rows and knows the true probabilities of the classes."""

    def sample(self, n: int, random_state: Any) -> tuple[Array, Ints]: ...

    def class_probabilities(self, X: Any) -> Floats: ...


GeneratorLike: TypeAlias = str | GeneratingModel | Callable[[int], GeneratingModel]
TruthLike: TypeAlias = str | Callable[[Floats, Floats], float]


def meta_metric(
    metrics: Sequence[MetricLike] | Mapping[str, MetricLike],
    learners: Sequence[Any] | Mapping[str, Any],
    generators: Sequence[GeneratorLike] | Mapping[str, GeneratorLike],
    *,
    truths: Sequence[str] | Mapping[str, TruthLike] = ("divergence", "accuracy", "cost"),
    train_rows: int | Sequence[int] = 500,
    test_rows: int | Sequence[int] = (25, 100, 1000),
    n_models: int = 20,
    n_test_sets: int = 5,
    truth_rows: int = 10_000,
    n_costs: int = 20,
    random_state: int = 0,
) -> MetaMetric:
    """Try metrics where the truth is known: how often each ranks learners as the truth does.

    A metric ranks learners on a test set with labels.  The truth ranks them by the true class
    probabilities, which a generator knows.  A metric that agrees with the truth more often, from
    fewer test rows, can be trusted more (Hope & Korb, 2004, Section 6).

    Use it to choose a metric for your kind of data, or to test a metric of your own.

    Parameters
    ----------
    metrics : sequence or dict of str, Measure or callable
        Names of our measures of probabilities, such as ``"information_reward"``, ``"log_loss"``,
        ``"brier"``, ``"accuracy"`` or ``"partition_accuracy"``; ``"auc"``, the area under the ROC
        curve (Hand & Till, 2001, for several classes); or functions ``metric(y_true, proba)`` of
        true classes 0, 1, ... and an array of probabilities.  Larger is better, except for
        functions whose name ends in ``_loss`` or ``_error``, as in scikit-learn, and for a
        ``Measure`` that says so.  A value of NaN counts as a tie.
    learners : sequence or dict of str or estimator
        At least two: names as in plans, or estimators with ``predict_proba``, which are cloned.
    generators : sequence or dict of str, callable or model
        Names such as ``"random-tan"`` (see `wager.experiments.generators`); functions that make a
        model from a seed; or a model, an object with ``sample(n, random_state)``, which returns
        features and classes 0, 1, ..., and ``class_probabilities(X)``.
    truths : sequence of str, or dict of str to str or callable
        ``"divergence"`` of the predicted from the true probabilities (Kullback-Leibler);
        ``"accuracy"``, how often the most probable class is right; ``"cost"`` of predicting the
        class of least expected cost, mean over random cost matrices; or functions
        ``quality(true_proba, proba)`` of which larger values are better.
    train_rows : int or sequence of int, default=500
        The numbers of training rows.
    test_rows : int or sequence of int, default=(25, 100, 1000)
        The sizes of the test sets on which the metrics rank the learners.
    n_models : int, default=20
        The number of models that each generator makes; of a given model, the number of its
        independent training sets.
    n_test_sets : int, default=5
        The largest number of test sets of each size; they are disjoint parts of as many rows as
        the largest size has.
    truth_rows : int, default=10000
        The number of further rows on which the truth is computed.
    n_costs : int, default=20
        The number of random cost matrices, with costs of errors from 0 to 1.
    random_state : int, default=0
        The seed.  Models and rows depend on it and on the name of the generator alone, so that
        metrics, learners and generators can be added without changing the others.

    Returns
    -------
    MetaMetric
        The shares of pairs that each metric ranks as the truth does, with intervals over models.

    Notes
    -----
    Which metric wins depends on the truth: the divergence equals the expected log loss up to a
    constant, so it favours log loss; accuracy and cost do not.

    References
    ----------
    Hope, L. R. & Korb, K. B. (2004). A Bayesian metric for evaluating machine learning algorithms.
    Australian Joint Conference on Artificial Intelligence.

    Hand, D. J. & Till, R. J. (2001). A simple generalisation of the area under the ROC curve for
    multiple class classification problems. Machine Learning 45.

    Examples
    --------
    >>> from wager.experiments import meta_metric
    >>> found = meta_metric(["accuracy", "log_loss"], ["naive-bayes", "tan"], ["random-tan"],
    ...     train_rows=200, test_rows=[50], n_models=6, truth_rows=1000)
    >>> found.estimate("log_loss", "divergence", 50).value > 0.5
    True
    """
    asked = read_metrics(metrics)
    trained = _named(learners, "learner", least=2)
    sources = {name: _generator(what) for name, what in _named(generators, "generator").items()}
    judged = _truths(truths)
    sizes = _sizes(test_rows, "test_rows")
    of_training = _sizes(train_rows, "train_rows")
    for value, what in (
        (n_models, "n_models"), (n_test_sets, "n_test_sets"),
        (truth_rows, "truth_rows"), (n_costs, "n_costs"),
    ):  # fmt: skip
        _sizes(value, what)
    task = RankingTask(asked, judged, sizes, n_test_sets)
    problems, tables = [], []
    for name, make in sources.items():
        for k in range(n_models):
            model = make(random_state_of([random_state, name, k, "model"]))
            for n_train in of_training:
                seeds = [random_state, name, k, n_train]
                data = _draw(model, n_train, max(sizes) + truth_rows, seeds)
                predicted = [
                    _probabilities(label, learner, data, random_state_of([*seeds, label]))
                    for label, learner in trained.items()
                ]
                problems.append((f"{name}-{k}", n_train))
                tables.append(
                    task.compare(predicted, data, random_costs(len(data.classes), n_costs))
                )
    share, lost = np.array(tables).transpose(1, 0, 2, 3, 4)
    names = tuple(metric.name for metric in asked)
    return MetaMetric(names, tuple(judged), sizes, tuple(problems), share, lost)


@dataclass(frozen=True, eq=False)
class RankingTask:
    """What is compared on every problem.

    Parameters
    ----------
    metrics : sequence of RankingMetric
    truths : dict of callables
    sizes : tuple of int
        The sizes of the test sets.
    n_test_sets : int
        The largest number of test sets of each size.
    """

    metrics: Sequence[RankingMetric]
    truths: Mapping[str, Truth]
    sizes: tuple[int, ...]
    n_test_sets: int

    def compare(
        self,
        predicted: Sequence[Floats],
        data: UnitData,
        costs: Sequence[CostMatrix],
        split: int | None = None,
    ) -> Floats:
        """The shares and losses of one problem: an array of shape (2, truths, sizes, metrics).

        Parameters
        ----------
        predicted : sequence of ndarray
            The probabilities that each learner predicts for the test rows.
        data : UnitData
            The training labels, and labels and true probabilities of the test rows.
        costs : sequence of CostMatrix
            For the truth "cost".
        split : int, optional
            The number of test rows for the metrics, the largest size by default; the others are
            for the truth.
        """
        cut = max(self.sizes) if split is None else split
        prior = prior_from_labels(data.y_train, classes=np.arange(len(data.classes)))
        assert data.truth is not None
        scores, truths = [], []
        for proba in predicted:
            scores.append(
                scores_of_test_sets(
                    self.metrics, data.y_test[:cut], proba[:cut], prior, self.sizes,
                    self.n_test_sets,
                )
            )  # fmt: skip
            truths.append(true_values(data.truth[cut:], proba[cut:], costs, self.truths))
        by_truth = np.array(truths).T
        tables = [
            [agreement(np.array(same), values) for same in zip(*scores, strict=True)]
            for values in by_truth
        ]
        return np.array(tables).transpose(2, 0, 1, 3)


def _draw(model: Any, n_train: int, n_test: int, seeds: list[Any]) -> UnitData:
    """Training and test rows of a model, with the true probabilities of the test rows."""
    if not hasattr(model, "sample"):
        raise ValueError(
            f"a generator must be a model with the method sample, or make one, got {brief(model)}"
        )
    X, y = model.sample(n_train, random_state_of([*seeds, "train"]))
    X_test, y_test = model.sample(n_test, random_state_of([*seeds, "test"]))
    # a model may draw class by class, but every part of the rows must have all classes
    order = np.random.default_rng(random_state_of([*seeds, "order"])).permutation(n_test)
    X, X_test, y_test = np.asarray(X), np.asarray(X_test)[order], np.asarray(y_test)[order]
    truth = np.asarray(model.class_probabilities(X_test), dtype=np.float64)
    n_values = np.asarray(getattr(model, "n_values", np.zeros(X.shape[1], dtype=np.int64)))
    nominal = n_values > 0
    dtype = np.int32 if nominal.all() else np.float64
    train, test = (PreparedTable(part.astype(dtype), nominal, n_values) for part in (X, X_test))
    classes = np.arange(truth.shape[1])
    return UnitData(train, np.asarray(y), test, y_test, np.arange(len(y_test)), classes, truth)


def _probabilities(label: str, learner: Any, data: UnitData, random_state: int) -> Floats:
    """What a learner predicts for the test rows, after training."""
    from sklearn.base import clone

    made = make_learner(learner, {}) if isinstance(learner, str) else clone(learner)
    own = data.for_learner()  # it may change its rows in place, which other learners get as well
    model = with_declared(made, own, random_state)
    _, proba = predict(model.fit(own.train.X, own.y_train), own.test.X, len(data.classes), True)
    if proba is None:
        raise ValueError(f"{label} has no predict_proba: metrics of probabilities need it")
    return proba


def _named(given: Any, what: str, least: int = 1) -> dict[str, Any]:
    """Learners or generators by name."""
    if isinstance(given, str) or not isinstance(given, Mapping | Sequence):
        given = [given]
    if isinstance(given, Mapping):
        pairs = [(str(name), value) for name, value in given.items()]
        cure = "give each another name"
    else:
        pairs = [(_name_of(value), value) for value in given]
        cure = "pass a dictionary with a name for each"
    if twice := repeated(name for name, _ in pairs):
        raise ValueError(f"duplicate {what} {twice[0]!r}: {cure}")
    named = dict(pairs)
    if len(named) < least:
        wanted = "two learners: it ranks pairs" if least > 1 else f"one {what}"
        raise ValueError(f"meta_metric needs at least {wanted}")
    return named


def _name_of(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(getattr(value, "__name__", type(value).__name__))


def _generator(what: Any) -> Callable[[int], Any]:
    """A function that makes a model from a seed."""
    if isinstance(what, str):
        return find_generator(what, {})
    if hasattr(what, "sample") and hasattr(what, "class_probabilities"):
        return lambda seed: what
    if callable(what):
        return cast("Callable[[int], Any]", what)
    raise TypeError(
        f"a generator must be a name, a function that makes a model from a seed, or a model with "
        f"sample and class_probabilities, got {brief(what)}"
    )


def _truths(given: Any) -> dict[str, Truth]:
    """The functions that compute the true quality, by name."""
    if isinstance(given, str):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else ((name, name) for name in given)
    found: dict[str, Truth] = {}
    for name, truth in pairs:
        if isinstance(truth, str):
            if truth not in TRUTHS:
                known = ", ".join(TRUTHS)
                raise ValueError(
                    f"there is no truth {brief(truth)}: choose one of {known}, or pass a "
                    "dictionary with a function of the true and the predicted probabilities"
                )
            found[str(name)] = TRUTHS[truth]
        elif isinstance(given, Mapping) and callable(truth):
            found[str(name)] = _without_costs(truth)
        else:
            raise TypeError(
                f"a truth must be a name, or a function in a dictionary, got {brief(truth)}"
            )
    if not found:
        raise ValueError("truths is empty: name at least one, such as 'divergence'")
    return found


def _without_costs(quality: Callable[[Floats, Floats], float]) -> Truth:
    return lambda truth, proba, costs: float(quality(truth, proba))


def _sizes(given: Any, what: str) -> tuple[int, ...]:
    values: list[Any] = [given] if np.isscalar(given) else list(given)
    whole = all(isinstance(n, int | np.integer) and n >= 1 for n in values)
    if not values or not whole:
        raise ValueError(
            f"{what} must be a whole number of at least 1, or several, got {brief(given)}"
        )
    return tuple(sorted({int(n) for n in values}))
