"""The example of Sondhauss & Weihs (2001): three chi-square classes, three classifiers.

Objects of three classes have one predictor, chi-square with 2, 8 and 16 degrees of freedom.  From
27 training objects a quadratic discriminant rule and a small neural network are learnt; 27 test
objects show them beside the rule that knows the true class probabilities.

    python examples/sondhauss_weihs_2001.py [FOLDER]

prints the measures and draws Figures 1 to 3 of the paper into the folder.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.neural_network import MLPRegressor

from wager.partitions import (
    StandardizedPartition,
    precision,
    separability,
    standardize,
    to_memberships,
)
from wager.plots import plot_simplex, save, simplex_axes

CLASSES = np.array(["G1", "G2", "G3"])
DEGREES = np.array([2, 8, 16])
PER_CLASS = 9  # 27 objects

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """True classes of the test objects, their true probabilities, and what three rules say."""

    truth: NDArray[np.str_]
    true_proba: Floats
    partitions: dict[str, StandardizedPartition]


def sample(rng: np.random.Generator) -> tuple[Floats, NDArray[np.str_]]:
    """As many objects of each class, and their predictor as a column."""
    truth = np.repeat(CLASSES, PER_CLASS)
    return chi2.rvs(np.repeat(DEGREES, PER_CLASS), random_state=rng)[:, None], truth


def true_probabilities(X: Floats) -> Floats:
    """The class probabilities of equally frequent chi-square classes."""
    density = chi2.pdf(X, DEGREES)
    return density / density.sum(axis=1, keepdims=True)


def run(seed: int = 6) -> Example:
    """Simulate, learn and standardize; the default seed gives rules in the order of the paper."""
    rng = np.random.default_rng(seed)
    X, y = sample(rng)
    X_test, truth = sample(rng)
    proba = true_probabilities(X_test)
    qda = QuadraticDiscriminantAnalysis(priors=np.full(3, 1 / 3)).fit(X, y)
    # The network answers with any real numbers, one output a class: no probabilities.
    target = (y[:, None] == CLASSES).astype(float)
    centre, spread = X.mean(), X.std()
    network = MLPRegressor(
        hidden_layer_sizes=(4,),
        activation="tanh",
        solver="lbfgs",
        alpha=0.1,
        max_iter=5000,
        random_state=seed,
    )
    scores = network.fit((X - centre) / spread, target).predict((X_test - centre) / spread)
    memberships = {
        "True-Bayes": proba,
        "Bayes-QDA": qda.predict_proba(X_test),
        "NN": to_memberships(scores, kind="softmax", sharpness=5),
    }
    return Example(
        truth,
        proba,
        {name: standardize(truth, said, classes=CLASSES) for name, said in memberships.items()},
    )


def draw(example: Example, folder: Path) -> list[Path]:
    """Figures 1 to 3 of the paper."""
    figures = (
        ("figure1", ("True-Bayes", "Bayes-QDA"), {"scaled": False}),
        ("figure2", ("Bayes-QDA", "NN"), {"lines": "true"}),
        ("figure3", ("Bayes-QDA", "NN"), {"lines": "assigned"}),
    )
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file, rules, options in figures:
        every = simplex_axes(len(rules), len(CLASSES))
        for ax, rule in zip(every, rules, strict=True):
            plot_simplex(example.partitions[rule], ax, title=rule, legend=ax is every[0], **options)
        paths.append(folder / f"{file}.png")
        save(every[0].figure, paths[-1])
    return paths


def main(folder: str = "figures") -> None:
    """Print the measures and draw the figures."""
    example = run()
    print(f"separability of the problem: {separability(example.true_proba):.3f}\n")
    for rule, partition in example.partitions.items():
        print(f"{rule}: precision {precision(example.true_proba, partition.memberships):.3f}")
        print(partition, end="\n\n")
    for path in draw(example, Path(folder)):
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
