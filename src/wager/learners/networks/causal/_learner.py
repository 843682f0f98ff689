"""CausalMML: a Bayesian network over the features and the class, found by message length.

The idea of CaMML (Wallace, Korb & Dai, 1996; Wallace & Korb, 1999), the causal learner that Hope &
Korb (2004) put beside naive Bayes, TAN and AODE: no structure is assumed, so the class may be
caused by features, cause them, or have nothing to do with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from wager._typing import ArrayLike, Floats, Ints
from wager.learners._base import CategoricalClassifier
from wager.learners.networks.causal._network import Network

__all__ = ["CausalMML", "NetworkModel"]

MOST_FEATURES = 200
FULL_SEARCH = 20  # features up to which nothing is cut short
AVERAGED = 100  # models, at most, and the share of the posterior that they should make up
AVERAGED_SHARE = 0.99


@dataclass(frozen=True)
class NetworkModel:
    """A class of equivalent networks: its share of the posterior, and the best network in it."""

    posterior: float
    message_length: float
    network: Network


class CausalMML(CategoricalClassifier):
    """Search the Bayesian networks for those that state the data most briefly.

    Parameters
    ----------
    search_factor : "auto" or float, default="auto"
        Scales every number of steps.  "auto" is 1 for up to 20 features and shrinks with the square
        of their number above; ``search_factor_`` says what was used.
    average : bool, default=False
        Whether to predict with the posterior mean over the likeliest networks instead of the best.
    random_state : int, RandomState or None, default=None
    classes, n_values, empty_classes
        What is declared, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    node_names_ : list of str
        The features, then the class.
    edges_ : list of (str, str)
        The arcs of the best network, from cause to effect.  Arcs may be turned within a class of
        equivalent networks without changing what is predicted.
    edge_probabilities_ : ndarray of shape (n_nodes, n_nodes)
        Posterior probability of each arc, from row to column, as its share of the sampled networks.
    message_length_ : float
        Nats that state the best network and, with it, the data; the order of the nodes, which costs
        all networks the same, is left out.
    models_ : list of NetworkModel
        The classes of equivalent networks, by posterior; the first is the one that predicts.
    n_parent_sets_ : int
        How many different parent sets were costed.
    search_factor_ : float
        The factor that was used.

    Notes
    -----
    Features must be nominal: discretize numbers first.  For the search a missing value is taken as
    the feature's most frequent one; the probabilities come from the rows in which all that they
    need is known; in prediction unknown values are summed out.  A value that training did not see
    has count zero.

    References
    ----------
    Wallace, C. S., Korb, K. B. & Dai, H. (1996). Causal discovery via MML. ICML.
    Wallace, C. S. & Korb, K. B. (1999). Learning linear causal models by MML sampling.
    O'Donnell, R. T. (2010). Flexible causal discovery with MML. PhD thesis, Monash University.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> cause = rng.randint(2, size=300)
    >>> effect = np.where(rng.rand(300) < 0.9, cause, 1 - cause)
    >>> X = np.column_stack([cause, rng.randint(2, size=300)])
    >>> model = CausalMML(search_factor=0.1, random_state=0).fit(X, effect)
    >>> sorted(sorted(edge) for edge in model.edges_)
    [['class', 'x0']]
    >>> model.predict(X[:4]).tolist() == cause[:4].tolist()
    True
    """

    def __init__(
        self,
        search_factor: str | float = "auto",
        *,
        average: bool = False,
        random_state: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.search_factor = search_factor
        self.average = average
        self.random_state = random_state
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, codes: Ints, y: Ints) -> None:
        from wager.learners.networks.causal._search import Search

        self.search_factor_ = self._factor(codes.shape[1])
        random = check_random_state(self.random_state)
        joint = np.column_stack([codes, y])
        sizes = np.append(self.n_values_, len(self.classes_))
        search = Search.start(_filled(joint, sizes), sizes, random)
        search.seek(self.search_factor_)
        self.models_, self.edge_probabilities_ = _posterior(search, self.search_factor_, joint)
        self.n_parent_sets_ = int(search.store.n[1])
        self._seed = random.randint(2**31)

    @property
    def network_(self) -> Network:
        """The network that predicts."""
        return self.models_[0].network

    @property
    def message_length_(self) -> float:
        return self.models_[0].message_length

    @property
    def node_names_(self) -> list[str]:
        given = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        names = [str(name) for name in given]
        return [*names, "class" if "class" not in names else "the class"]

    @property
    def edges_(self) -> list[tuple[str, str]]:
        names = self.node_names_
        return [(names[a], names[b]) for a, b in self.network_.edges]

    def _proba(self, codes: Ints) -> Floats:
        """The class probabilities by the best network, or their mean over several networks."""
        joint = np.column_stack([codes, np.full(len(codes), -1, dtype=codes.dtype)])
        models = self._averaged() if self.average else self.models_[:1]
        total = sum(model.posterior for model in models)
        random = np.random.RandomState(self._seed)
        target = codes.shape[1]
        proba = np.zeros((len(codes), len(self.classes_)))
        for model in models:
            proba += model.posterior / total * model.network.class_proba(joint, target, random)
        return proba

    def _averaged(self) -> list[NetworkModel]:
        shares = np.cumsum([model.posterior for model in self.models_[:AVERAGED]])
        return self.models_[: 1 + int(np.searchsorted(shares, AVERAGED_SHARE))][:AVERAGED]

    def _factor(self, n_features: int) -> float:
        if n_features > MOST_FEATURES:
            raise ValueError(
                f"CausalMML searches the networks over all features, which {n_features} of them "
                f"make hopeless (at most {MOST_FEATURES}): select some first, for instance with "
                "CfsSelector"
            )
        if isinstance(self.search_factor, str):
            if self.search_factor != "auto":
                raise ValueError(
                    f"search_factor must be 'auto' or positive, got {self.search_factor!r}"
                )
            return min(1.0, ((FULL_SEARCH + 1) / (n_features + 1)) ** 2)
        if not self.search_factor > 0:
            raise ValueError(
                f"search_factor must be 'auto' or positive, got {self.search_factor!r}"
            )
        return float(self.search_factor)


def _filled(codes: Ints, sizes: Ints) -> Ints:
    """The rows with every gap filled by the column's most frequent value, the first if tied."""
    filled = codes.copy()
    for column, size in zip(filled.T, sizes, strict=True):
        gaps = column < 0
        if gaps.any():
            column[gaps] = np.bincount(column[~gaps], minlength=size).argmax()
    return filled


def _posterior(search: Any, factor: float, joint: Ints) -> tuple[list[NetworkModel], Floats]:
    """The sampled classes as networks with probabilities, likeliest first."""
    classes, arcs = search.posterior(factor)
    n = int(classes.n[0])
    least = classes.score[:n].min()
    kept = np.flatnonzero(classes.score[:n] <= least + 30.0)
    kept = kept[np.lexsort([classes.score[kept], -classes.visits[kept]])][:AVERAGED]
    total = classes.visits[:n].sum()
    models = []
    for number in kept:
        entries = classes.entries[number]
        parents = [search.store.parents[e, : search.store.n_parents[e]].tolist() for e in entries]
        models.append(
            NetworkModel(
                float(classes.visits[number] / total),
                float(classes.score[number] + search.base),
                Network.of(joint, search.sample.sizes, parents),
            )
        )
    return models, arcs
