"""Reference cases of the lazy, averaging and tree learners: the sets of Weka-IP, and imptree.

imptree (credal classification trees in R) gives for each fit a tree, and what follows from it.  Its
splits are only ours where it decides by the rule it states; the reference says where it does not,
and gives under ``decided`` the tree by that rule.  The tree itself is compared with that one, and
everything else is computed from the tree as imptree grew it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.learners.trees import credal_tree_by_hand as by_hand
from tests.reference.compare import assert_close
from tests.reference.kinds.credal_learners import fit_on_peer, members, peer_problem
from tests.reference.registry import Case, check, splitter
from wager.credal import decide
from wager.learners import CredalModelAveraging, CredalTree, LazyNaiveCredal
from wager.learners.trees._leaf_intervals import bounds_of
from wager.learners.trees._nodes import TreeNodes
from wager.learners.trees._npi_entropy import lower_entropy_of_slices, most_even_counts
from wager.learners.trees._upper_entropy import (
    correction_of,
    entropy,
    entropy_terms,
    most_even,
    raise_largest,
    raise_smallest,
)
from wager.metrics import evaluate_sets, utility_discounted_accuracy
from wager.predictions import ProbabilityIntervals
from wager.rewards import get_utility

CLOSE = 1e-9
MODELS = {"IDM": "idm", "NPI": "npi", "NPIapprox": "npi-approx"}


@check("ncc_peer/cma")
def _peer_averaging(case: Case):
    problem, s, sets = peer_problem(case)
    assert fit_on_peer(problem, CredalModelAveraging(s=s)) == sets


@check("ncc_peer/lncc")
def _peer_lazy(case: Case):
    """The peer runs with s = 1 whatever it is told."""
    problem, _, sets = peer_problem(case)
    assert fit_on_peer(problem, LazyNaiveCredal(s=1, published=True)) == sets


@check("ncc_peer/cdt")
def _peer_tree(case: Case):
    """Where the peer differs, it is a tree grown by hand with the peer's own entropy that agrees.

    For s > 1 the peer adds only 1 where one class alone has the smallest count.
    """
    problem, s, sets = peer_problem(case)
    ours = fit_on_peer(problem, CredalTree(s=s))
    if ours == sets:
        return
    assert s > 1
    X, y, rows = (np.array(problem[part]) for part in ("train_X", "train_y", "test_X"))
    n_values, K = [len(v) for v in problem["feature_values"]], len(problem["classes"])
    wrong = by_hand.grow(X, y, n_values, K, s, by_hand.peer_counts)
    assert [wrong.leaf_of(row).kept(s) for row in rows] == sets
    right = by_hand.grow(X, y, n_values, K, s)
    assert [right.leaf_of(row).kept(s) for row in rows] == ours


# -- imptree ------------------------------------------------------------------------------------


@splitter("imptree")
def _imptree(file: Path) -> Iterator[tuple[str, str, Any]]:
    data = json.loads(file.read_text(encoding="utf-8"))
    if "fits" not in data:
        for number, row in enumerate(data["rows"]):
            yield "imptree/intervals", f"{row['model']}-{number}", row
        return
    problem = {key: value for key, value in data.items() if key != "fits"}
    for number, fit in enumerate(data["fits"]):
        yield "imptree/fit", f"fit-{number}", {"problem": problem, "fit": fit}


@check("imptree/intervals")
def _intervals(case: Case):
    """What class counts say: intervals, and the distributions of most and of least entropy."""
    row = dict(case.data)
    model, s, counts = row.pop("model"), row.pop("s"), np.array(row.pop("table"))
    bounds = intervals_of(counts[None], model, s)
    wrong = row.pop("imptree_is_wrong", False)
    even = most_even(bounds.lower[0], bounds.upper[0])
    found = {
        "lower": bounds.lower[0],
        "upper": bounds.upper[0],
        "imptree_max_entropy_distribution": even,
        "imptree_max_entropy_bits": entropy(even),
    }
    if model == "IDM":
        level, heap = raise_smallest(counts, s), raise_largest(counts, s)
        np.testing.assert_allclose(level / level.sum(), even, atol=CLOSE)
        corrections = {
            f"with_{name}": entropy(level) + correction_of(counts.sum(), len(counts), s, name)
            for name in ("strobl", "abellan")
        }
        found |= corrections | {
            "min_entropy_distribution": heap / heap.sum(),
            "min_entropy_bits": entropy(heap),
            "correct_max_entropy_distribution": level / level.sum(),
            "correct_max_entropy_bits": entropy(level),
        }
    else:
        own = most_even_counts(counts, MODELS[model])
        found |= {
            "imptree_max_entropy_distribution": own / own.sum(),
            "imptree_max_entropy_bits": entropy(own),
        }
        # of these imptree takes a vertex, which need not be the one of least entropy
        vertex, bits = row.pop("min_entropy_distribution"), row.pop("min_entropy_bits")
        corners = bounds.vertices(0)
        assert np.isclose(corners, vertex, atol=CLOSE).all(axis=1).any()
        assert_close(entropy(vertex), bits, CLOSE)
        least = min(map(entropy, corners))
        assert least <= bits + CLOSE
        logs = entropy_terms(int(counts.sum()) + 1)
        assert_close(lower_entropy_of_slices(counts, 0, len(counts), logs), least, CLOSE)
    if wrong:  # its water stops too early: the entropy is too small, and the corrected ones with it
        for field in ("imptree_max_entropy_distribution", "with_strobl", "with_abellan"):
            row.pop(field)
        assert row.pop("imptree_max_entropy_bits") < found["correct_max_entropy_bits"]
    assert row.keys() <= found.keys()
    assert_close(found, row, CLOSE)


@check("imptree/fit")
def _fit(case: Case):
    problem, fit = case.data["problem"], dict(case.data["fit"])
    parameters = fit.pop("parameters")
    levels = [problem["levels"][column] for column in problem["columns"]]
    assert problem["columns"][-1] == problem["class_column"]
    train, test = (np.array(problem[part]) - 1 for part in ("train", "test"))
    model = tree_for(parameters, [len(values) for values in levels])
    model.fit(train[:, :-1], train[:, -1])

    decided = fit.pop("decided", None)
    assert (decided is None) == (parameters["method"] != "IDM")
    columns = problem["columns"]
    if decided is not None:
        assert preorder(model.tree_, columns) == [
            (node["path"], node["split"], node["frequency"]) for node in decided["splits"]
        ]
        same = [(n["path"], n["split"], n["frequency"]) for n in fit["tree"]] == [
            (n["path"], n["split"], n["frequency"]) for n in decided["splits"]
        ]
        assert decided["same_tree_as_imptree"] is same
    elif fit["distinct_trees_over_15_seeds"] == 1:  # by the same rule, with the other entropies
        assert preorder(model.tree_, columns) == _without_idle_splits(fit["tree"], parameters)
    for unchecked in ("distinct_trees_over_15_seeds", "near_ties_met"):
        fit.pop(unchecked, None)  # how imptree came to its tree

    tree = fit.pop("tree")
    model.tree_ = stored_tree(tree, columns, len(levels[-1]))
    _check_nodes(model.tree_, tree, parameters)
    info = fit.pop("tree_info")
    shape = {"depth": model.depth_, "nleaves": model.n_leaves_, "nnodes": model.n_nodes_}
    assert info == shape

    credal = model.predict_credal(test[:, :-1])
    np.testing.assert_allclose(credal.lower, fit.pop("lower"), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(credal.upper, fit.pop("upper"), rtol=0, atol=CLOSE)
    strong = decide(credal, "interval-dominance")
    assert members(strong) == [[c - 1 for c in kept] for kept in fit.pop("set_strong")]
    assert (model.predict_set(test[:, :-1]) == np.asarray(strong)).all()
    largest = np.asarray(decide(credal, "gamma-maximax")).argmax(axis=1)
    assert [[c + 1] for c in largest.tolist()] == fit.pop("set_max")
    single = np.eye(len(levels[-1]), dtype=bool)[largest]
    _check_scores(test[:, -1], strong, fit.pop("evaluation_strong"))
    _check_scores(test[:, -1], single, fit.pop("evaluation_max"))
    assert not fit, f"nobody checks {sorted(fit)}"


def intervals_of(counts: np.ndarray, model: str, s: float | None) -> ProbabilityIntervals:
    """The imprecise Dirichlet model, or nonparametric predictive inference (Coolen & Augustin)."""
    if model == "IDM":
        return ProbabilityIntervals.from_idm(counts, s)
    return ProbabilityIntervals(*bounds_of(counts.astype(float), 0.0, MODELS[model]))


def tree_for(parameters: dict[str, Any], sizes: list[int]) -> CredalTree:
    known = {"method", "s", "correction", "splitmetric", "minbucket", "depth", "gamma", "tbase"}
    assert parameters.keys() == known
    metric = {"globalmax": "iig", "range": "range"}[parameters["splitmetric"]]
    ranged = metric == "range"
    return CredalTree(
        s=1.0 if parameters["s"] is None else parameters["s"],
        criterion=metric,
        dominance="strict",
        candidates="complete",
        min_rows=parameters["minbucket"],
        max_depth=parameters["depth"],
        correction=None if parameters["correction"] == "no" else parameters["correction"],
        gamma=parameters["gamma"] if ranged else 1.0,
        t_base=parameters["tbase"] if ranged else 2.0,
        model=MODELS[parameters["method"]],
        classes=np.arange(sizes[-1]),
        n_values=sizes[:-1],
    )


def preorder(nodes: TreeNodes, columns: list[str]) -> list[tuple[list[int], str | None, list[int]]]:
    """Path of 1-based branches, split and class counts of every node, parents first."""
    listed, waiting = [], [(0, [])]
    while waiting:
        node, path = waiting.pop()
        feature = nodes.feature[node]
        name = None if feature < 0 else columns[feature]
        listed.append((path, name, nodes.counts[node].astype(int).tolist()))
        first = nodes.first[node]
        waiting += [(first + b, [*path, b + 1]) for b in reversed(range(nodes.n_children[node]))]
    return listed


def _without_idle_splits(
    tree: list[dict[str, Any]], parameters: dict[str, Any]
) -> list[tuple[list[int], str | None, list[int]]]:
    """The stored nodes, as ``preorder``, without splits whose gain is 0 but for rounding."""

    def largest(node: dict[str, Any]) -> float:
        return entropy(most_even_counts(node["frequency"], MODELS[parameters["method"]]))

    listed, idle = [], []
    for node in tree:
        path = node["path"]
        if any(path[: len(above)] == above for above in idle):
            continue
        children = [n for n in tree if n["path"][:-1] == path and len(n["path"]) == len(path) + 1]
        gain = largest(node) - sum(n["n"] / node["n"] * largest(n) for n in children)
        if children and gain < 1e-9:
            idle.append(path)
        split = node["split"] if not children or gain >= 1e-9 else None
        listed.append((path, split, node["frequency"]))
    return listed


def stored_tree(tree: list[dict[str, Any]], columns: list[str], n_classes: int) -> TreeNodes:
    """The nodes of a stored tree in the order of ours: siblings next to each other."""
    ordered = sorted(tree, key=lambda node: (len(node["path"]), node["path"]))
    place = {tuple(node["path"]): at for at, node in enumerate(ordered)}
    n = len(ordered)
    nodes = TreeNodes(
        feature=np.full(n, -1),
        threshold=np.full(n, np.nan),
        first=np.zeros(n, int),
        n_children=np.zeros(n, int),
        counts=np.zeros((n, n_classes)),
        weight=np.zeros(n),
        bag=np.zeros(n),
        empty=np.zeros(n, bool),
    )
    for at, node in enumerate(ordered):
        nodes.counts[at] = node["frequency"]
        nodes.weight[at] = nodes.bag[at] = node["n"]
        if node["split"] is not None:
            nodes.feature[at] = columns.index(node["split"])
            nodes.first[at] = place[(*node["path"], 1)]
            nodes.n_children[at] = sum(path[:-1] == tuple(node["path"]) for path in place if path)
    return nodes


def _check_nodes(nodes: TreeNodes, tree: list[dict[str, Any]], parameters: dict[str, Any]) -> None:
    known = {"path", "depth", "split", "n", "frequency", "lower", "upper"}
    for node in tree:
        assert node.keys() == known
        assert node["depth"] == len(node["path"])
        assert node["n"] == sum(node["frequency"])
        counts = np.array([node["frequency"]])
        bounds = intervals_of(counts, parameters["method"], parameters["s"])
        found = {"lower": bounds.lower[0], "upper": bounds.upper[0]}
        assert_close(found, {"lower": node["lower"], "upper": node["upper"]}, CLOSE)
    assert len(nodes.feature) == len(tree)


def _check_scores(truth: np.ndarray, sets: Any, expected: dict[str, Any]) -> None:
    found = evaluate_sets(truth, sets, utilities=("u50", "u65", "u80"))
    several = (np.asarray(sets).sum(axis=1) > 1).sum()
    # imptree's own utility is x + 4 u x (1 - x)
    own = get_utility(lambda x: x + 4 * 0.65 * x * (1 - x))
    assert_close(
        {
            "nObs": len(truth),
            "deter": found["determinacy"],
            "nObsIndet": several,
            "indetSize": found["indeterminate_set_size"],
            "acc_single": found["single_accuracy"],
            "acc_set": found["set_accuracy"],
            "acc_disc": found["u50"],
            "u65_true": found["u65"],
            "u80_true": found["u80"],
            "acc_util_argument_0.65": utility_discounted_accuracy(truth, sets, own),
        },
        expected,
        CLOSE,
    )
