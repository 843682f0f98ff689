"""CausalMML: a Bayesian network over the features and the class, found by message length.

The idea of CaMML (Wallace, Korb & Dai, 1996; Wallace & Korb, 1999), the causal learner that Hope &
Korb (2004) compared with naive Bayes, TAN and AODE: no structure is assumed, so the class may be
caused by features, cause them, or be independent of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from wager._tables import is_one_of, real_number
from wager._typing import ArrayLike, Floats, Ints
from wager._visible import brief
from wager.learners._base import CategoricalClassifier
from wager.learners.networks.causal._chains import (
    ChainComparison,
    compare_chains,
    equivalence_key,
)
from wager.learners.networks.causal._merge import divergences, groups_to_merge
from wager.learners.networks.causal._network import Network

__all__ = ["CausalMML", "NetworkModel"]

MOST_FEATURES = 200
FULL_SEARCH = 20  # largest number of features with a search of full length
AVERAGED = 100  # largest number of models that are averaged
AVERAGED_SHARE = 0.99  # share of the posterior that the averaged models should reach
NEARLY_AS_GOOD = 30.0  # nats; classes that are worse than the best one by more are dropped


@dataclass(frozen=True)
class NetworkModel:
    """A class of equivalent networks: its share of the posterior, and its best network.

    ``n_classes`` is how many such classes were merged into this one, itself included.
    """

    posterior: float
    message_length: float
    network: Network
    n_classes: int = 1


class CausalMML(CategoricalClassifier):
    """Find the Bayesian networks with which the data can be stated in the shortest message.

    A random search over networks of the features and the class minimises the length of a message
    that states the network and then the data.

    Use it to see which features depend on each other, and for probabilities from a network that was
    not assumed in advance.

    Parameters
    ----------
    search_factor : "auto" or float, default="auto"
        Scales the number of steps.  "auto" is 1 for up to 20 features and decreases with the square
        of their number above that; ``search_factor_`` is the value that was used.
    average : bool, default=False
        Whether to predict with the posterior mean over the most probable networks instead of the
        best one.
    merge : bool, default=False
        Whether to merge classes of networks that the data hardly distinguish: the simpler network
        represents both where the choice between them takes more of the message than it saves.
    n_chains : int, default=1
        The number of independent searches.  The first one predicts, whatever their number; the
        others show in ``chains_`` whether it has run long enough.  Each takes as long as the first.
    random_state : int, RandomState or None, default=None
        Seed of the search.
    classes, n_values, empty_classes
        Declared classes and numbers of values, as for ``NaiveBayes``.

    Attributes
    ----------
    classes_ : ndarray
        The columns of ``predict_proba``, in order.
    node_names_ : list of str
        The features, then the class.
    edges_ : list of (str, str)
        The arcs of the best network, from cause to effect.  Equivalent networks, which differ in
        the direction of some arcs, predict the same.
    edge_probabilities_ : ndarray of shape (n_nodes, n_nodes)
        Posterior probability of each arc, from row to column, as its share of the sampled networks.
    message_length_ : float
        Length in nats of the message that states the best network and, with it, the data; the order
        of the nodes is not included, as it costs the same for all networks.
    models_ : list of NetworkModel
        The classes of equivalent networks, merged or not, sorted by posterior; the first one
        predicts.
    n_parent_sets_ : int
        The number of different parent sets whose cost was computed.
    search_factor_ : float
        The factor that was used.
    chains_ : ChainComparison or None
        With more than one chain, how much their posteriors differ: ``.model_distance``,
        ``.arc_distance``.

    Notes
    -----
    Features must be nominal: discretize numeric ones first.  For the search a missing value is
    replaced by the feature's most frequent one; probabilities are estimated from the rows in which
    the node and its parents are known; in prediction unknown values are summed out.  A value that
    training did not see has count zero.

    With ``merge``, class j is merged into class i, which has no more arcs, if
    ``p_i log((p_i + p_j)/p_i) + p_j log((p_i + p_j)/p_j) > p_j N KL(j || i)`` for the prior
    probabilities p of the classes and N rows; the pair with the largest difference comes first.  A
    prior is the posterior divided by the likelihood.  Divergences are exact up to 100,000
    combinations of values, and otherwise estimated from 10,000 rows or more.  Chains are compared
    before merging.

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
        merge: bool = False,
        n_chains: int = 1,
        random_state: Any = None,
        classes: ArrayLike | None = None,
        n_values: ArrayLike | None = None,
        empty_classes: str = "keep",
    ):
        self.search_factor = search_factor
        self.average = average
        self.merge = merge
        self.n_chains = n_chains
        self.random_state = random_state
        self.classes = classes
        self.n_values = n_values
        self.empty_classes = empty_classes

    def _learn(self, table: Any, y: Ints) -> None:
        if not isinstance(self.n_chains, int | np.integer) or self.n_chains < 1:
            raise ValueError(
                f"n_chains must be a whole number of at least 1, got {brief(self.n_chains)}"
            )
        codes = self.schema_.codes(table, known=True)
        self.search_factor_ = self._factor(codes.shape[1])
        random = check_random_state(self.random_state)
        joint = np.column_stack([codes, y])
        sizes = np.append(self.n_values_, len(self.classes_))
        first = self._chain(joint, sizes, random)
        self.models_, self.edge_probabilities_, self.n_parent_sets_, _ = first
        self._seed = random.randint(2**31)
        self.chains_ = self._compared(first, joint, sizes) if self.n_chains > 1 else None
        if self.merge:
            random = np.random.RandomState(self._seed)
            self.models_ = _merged(self.models_, _filled(joint, sizes), random)

    def _chain(self, joint: Ints, sizes: Ints, random: Any) -> _Chain:
        """Search and sample once."""
        from wager.learners.networks.causal._search import COMPILED, PLAIN, SEARCH, work_of

        factor, keep = self.search_factor_, self.n_chains > 1
        found: _Chain = SEARCH.run(
            lambda: _search(joint, sizes, factor, random, PLAIN, keep),
            lambda: _search(joint, sizes, factor, random, COMPILED, keep),
            work_of(len(sizes), factor),
        )
        return found

    def _compared(self, first: _Chain, joint: Ints, sizes: Ints) -> ChainComparison:
        """The first chain next to others, which do not change the seeds of anything else."""
        chains = [first]
        for number in range(1, self.n_chains):
            random = np.random.RandomState([self._seed, number])
            chains.append(self._chain(joint, sizes, random))
        return compare_chains(
            [chain.shares for chain in chains],
            [chain.arcs for chain in chains],
            equivalence_key(first.models[0].network.parents),
            [chain.models[0].message_length for chain in chains],
        )

    @property
    def network_(self) -> Network:
        """The best network."""
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
                f"CausalMML can search networks of at most {MOST_FEATURES} features, got "
                f"{n_features}: select some first, for instance with CfsSelector"
            )
        if is_one_of(self.search_factor, ("auto",)):
            return min(1.0, ((FULL_SEARCH + 1) / (n_features + 1)) ** 2)
        if isinstance(self.search_factor, str) or not (
            real_number(self.search_factor, "search_factor") > 0
        ):
            raise ValueError(
                f"search_factor must be 'auto' or positive, got {brief(self.search_factor)}"
            )
        return float(self.search_factor)


def _merged(models: list[NetworkModel], rows: Ints, random: Any) -> list[NetworkModel]:
    """The classes after merging those that the data hardly distinguish, best first."""
    networks = [model.network for model in models]
    log_likelihood = np.array([network.log_joint(rows).sum() for network in networks])
    groups = groups_to_merge(
        np.log([model.posterior for model in models]) - log_likelihood,
        [len(network.edges) for network in networks],
        divergences(networks, len(rows), random),
        len(rows),
    )
    merged = [
        replace(
            models[group[0]],
            posterior=sum(models[i].posterior for i in group),
            n_classes=sum(models[i].n_classes for i in group),
        )
        for group in groups
    ]
    return sorted(merged, key=lambda model: -model.posterior)


def _filled(codes: Ints, sizes: Ints) -> Ints:
    """The rows with missing values replaced by the column's most frequent value."""
    filled = codes.copy()
    for column, size in zip(filled.T, sizes, strict=True):
        gaps = column < 0
        if gaps.any():
            column[gaps] = np.bincount(column[~gaps], minlength=size).argmax()
    return filled


class _Chain(NamedTuple):
    """What a search finds; the shares of all classes only if they are wanted."""

    models: list[NetworkModel]
    arcs: Floats
    n_parent_sets: int
    shares: dict[Any, float]


def _search(
    joint: Ints, sizes: Ints, factor: float, random: Any, loops: Any, keep_shares: bool = False
) -> _Chain:
    """The networks, the probabilities of all arcs, and how many parent sets were computed.

    A search that is given up leaves the random generator as it was.
    """
    from wager.learners.networks.causal._search import NetworkSearch

    state = random.get_state()
    try:
        search = NetworkSearch.start(_filled(joint, sizes), sizes, random, loops)
        search.seek(factor)
        classes, arcs = search.posterior(factor)
        models = _models(search, classes, joint)
        shares = _shares(search, classes) if keep_shares else {}
    except BaseException:
        random.set_state(state)
        raise
    return _Chain(models, arcs, int(search.cache.n[1]), shares)


def _shares(search: Any, classes: Any) -> dict[Any, float]:
    """The posterior of every class that was visited."""
    visits = classes.visits()
    total, shares = visits.sum(), dict[Any, float]()
    for number in np.flatnonzero(visits):
        key = equivalence_key([search.cache.parents(entry) for entry in classes.entries(number)])
        shares[key] = shares.get(key, 0.0) + float(visits[number] / total)
    return shares


def _models(search: Any, classes: Any, joint: Ints) -> list[NetworkModel]:
    """The sampled classes as networks with probabilities, the most probable first."""
    score, visits = np.array(classes.score[: int(classes.n[0])]), classes.visits()
    kept = np.flatnonzero(score <= score.min() + NEARLY_AS_GOOD)
    kept = kept[np.lexsort([score[kept], -visits[kept]])][:AVERAGED]
    total = visits.sum()
    models = []
    for number in kept:
        parents = [search.cache.parents(entry) for entry in classes.entries(number)]
        models.append(
            NetworkModel(
                float(visits[number] / total),
                float(score[number] + search.base),
                Network.of(joint, np.array(search.sample.sizes), parents),
            )
        )
    return models
