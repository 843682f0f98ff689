"""Do chains of samples agree: the distance between posteriors that were sampled independently.

A chain that has not run long enough has visited some networks too often and others too rarely, and
nothing in the chain itself shows it.  Chains that start from different seeds, each with a search of
its own, show it: the total variation distance between their posteriors is 0 if they agree on all
networks and 1 if they have no network in common (Gelman & Rubin, 1992, on the use of several
chains).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wager._tables import Table, View, Viewed
from wager._typing import Floats

__all__ = ["ChainComparison", "compare_chains", "equivalence_key", "total_variation"]

CLOSE = 0.1  # a distance that is still called close


@dataclass(frozen=True, eq=False, repr=False)
class ChainComparison(Viewed):
    """How much independent chains of ``CausalMML`` differ.

    Attributes
    ----------
    model_distance : float
        The largest total variation distance between the posteriors of two chains over classes of
        equivalent networks, from 0 (equal) to 1 (no class in common).  No probability differs by
        more between these chains, whatever set of networks it belongs to.  With many features the
        posterior is spread over very many classes, and a large distance need not matter.
    arc_distance : float
        The largest difference between two chains in the probability that two nodes are connected
        by an arc.
    posteriors : ndarray of shape (n_chains,)
        The probability of the class that the first chain found most probable, in every chain.
    message_lengths : ndarray of shape (n_chains,)
        The length of the message with the best network of every chain: equal if every search found
        an equally good network.
    """

    model_distance: float
    arc_distance: float
    posteriors: Floats
    message_lengths: Floats

    def to_dict(self) -> dict[str, Any]:
        """The distances and what each chain found, as plain data."""
        return {
            "model_distance": self.model_distance,
            "arc_distance": self.arc_distance,
            "posteriors": self.posteriors.tolist(),
            "message_lengths": self.message_lengths.tolist(),
        }

    def _view(self) -> View:
        chains = zip(self.posteriors, self.message_lengths, strict=True)
        rows = [[k + 1, *values] for k, values in enumerate(chains)]
        heads = ["chain", "P(best model of chain 1)", "shortest message"]
        return View(
            f"{len(rows)} chains of CausalMML",
            [Table(heads, rows)],
            verdict=[
                f"Largest distance over models {self.model_distance:.3f}, over arcs "
                f"{self.arc_distance:.3f}: {self._advice()}."
            ],
        )

    def _advice(self) -> str:
        if max(self.model_distance, self.arc_distance) <= CLOSE:
            return "the chains agree closely"
        if self.arc_distance <= CLOSE:
            return (
                "the chains agree on the arcs, but not on networks; increase search_factor if "
                "the posterior of a network matters"
            )
        return "the chains differ; increase search_factor"


def compare_chains(
    shares: Sequence[Mapping[Any, float]],
    arcs: Sequence[Floats],
    best: Any,
    message_lengths: Sequence[float],
) -> ChainComparison:
    """Compare chains pair by pair.

    Parameters
    ----------
    shares : sequence of dict
        The posterior of every chain, by the key of the class.
    arcs : sequence of ndarray of shape (n_nodes, n_nodes)
        The probabilities of the arcs in every chain.
    best : key
        The class that the first chain found most probable.
    message_lengths : sequence of float
        The shortest message of every chain.

    Examples
    --------
    >>> one, other = np.array([[0, 0.5], [0.2, 0]]), np.array([[0, 0.3], [0.2, 0]])
    >>> shares = {"a": 0.7, "b": 0.3}, {"a": 0.5, "c": 0.5}
    >>> found = compare_chains(shares, [one, other], "a", [9, 9])
    >>> round(found.model_distance, 3), round(found.arc_distance, 3), found.posteriors.tolist()
    (0.5, 0.2, [0.7, 0.5])
    """
    connected = [part + part.T for part in arcs]
    return ChainComparison(
        max(total_variation(one, other) for one, other in combinations(shares, 2)),
        max(float(np.abs(one - other).max()) for one, other in combinations(connected, 2)),
        np.array([part.get(best, 0.0) for part in shares]),
        np.array(message_lengths, dtype=np.float64),
    )


def total_variation(first: Mapping[Any, float], second: Mapping[Any, float]) -> float:
    """Half the sum of the absolute differences of two distributions.

    Examples
    --------
    >>> total_variation({"a": 0.25, "b": 0.75}, {"a": 0.75, "c": 0.25})
    0.75
    """
    keys = first.keys() | second.keys()
    return sum(abs(first.get(key, 0.0) - second.get(key, 0.0)) for key in keys) / 2


def equivalence_key(parents: Sequence[Sequence[int]]) -> tuple[frozenset[Any], frozenset[Any]]:
    """What equivalent networks have in common: the pairs that are connected, and the colliders.

    A collider is a node with two parents that are not connected (Verma & Pearl, 1990).

    Examples
    --------
    >>> chain, fork, collider = [(), (0,), (1,)], [(1,), (), (1,)], [(), (0, 2), ()]
    >>> equivalence_key(chain) == equivalence_key(fork)
    True
    >>> equivalence_key(chain) == equivalence_key(collider)
    False
    """
    pairs = frozenset(
        frozenset((int(parent), child)) for child, above in enumerate(parents) for parent in above
    )
    colliders = frozenset(
        (frozenset((int(a), int(b))), child)
        for child, above in enumerate(parents)
        for a, b in combinations(above, 2)
        if frozenset((int(a), int(b))) not in pairs
    )
    return pairs, colliders
