"""Explanations of nested dichotomies: every statement against a slow computation of its own.

The slow computation walks over the nested tuples of ``tree_`` and tries both ends of every
interval, without the recursion of the learners.
"""

from itertools import product
from math import isnan
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

from wager import plots
from wager.learners import (
    CredalNeighbors,
    NestedDichotomies,
    NestedDichotomyForest,
)

matplotlib.use("Agg")

X = [["low"], ["low"], ["mid"], ["mid"], ["high"], ["high"], ["none"]] * 3
Y = ["a", "a", "b", "b", "c", "b", "d"] * 3
TREE = ((("a", "b"), "c"), "d")


def leaves(part):
    return leaves(part[0]) + leaves(part[1]) if isinstance(part, tuple) else (part,)


def nodes(part):
    """The splits of a nested tree, from the root on."""
    return [part, *nodes(part[0]), *nodes(part[1])] if isinstance(part, tuple) else []


def interval(left, right, value, s=2):
    """The bounds of the probability of some classes against others, from the rows (one feature)."""

    def group(labels):
        rows = [x for (x,), y in zip(X, Y, strict=True) if y in labels]
        return len(rows), rows.count(value)

    (n, here), (m, there) = group(left), group(right)
    lower, upper = here / (n + s), (here + s) / (n + s)
    other_lower, other_upper = there / (m + s), (there + s) / (m + s)
    return (
        n * lower / (n * lower + (m + s) * other_upper),
        (n + s) * upper / ((n + s) * upper + m * other_lower),
    )


def distributions(tree, known):
    """The class probabilities at both ends of the intervals of all splits."""
    splits = nodes(tree)
    for ends in product(*(known[split] for split in splits)):
        share = dict(zip(splits, ends, strict=True))

        def proba(part, mass, share=share):
            if not isinstance(part, tuple):
                return {part: mass}
            return proba(part[0], mass * share[part], share) | proba(
                part[1], mass * (1 - share[part]), share
            )

        yield proba(tree, 1.0)


def margins(laws, costs, labels):
    """The least saving of each class compared with each other one, ``[first, second]``."""
    every = np.array([[law[label] for label in labels] for law in laws])
    expected = every @ costs.T
    return (expected[:, None, :] - expected[:, :, None]).min(axis=0)


def kept_of(least, labels):
    dominated = (least > 1e-9).any(axis=0)
    return tuple(label for label, out in zip(labels, dominated, strict=True) if not out)


def zero_one(K):
    return 1.0 - np.eye(K)


DISTANCES = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


@pytest.mark.parametrize("costs", [None, DISTANCES], ids=["probabilities", "costs"])
@pytest.mark.parametrize("tree", [TREE, (("a", "c"), ("b", "d")), ("a", ("b", ("c", "d")))])
@pytest.mark.parametrize("value", ["low", "mid", "high", "none"])
def test_every_statement_about_a_tree_is_one_about_its_extreme_distributions(tree, value, costs):
    model = NestedDichotomies(tree, costs=costs).fit(X, Y)
    found = model.explain_set([[value]])
    known = {part: interval(leaves(part[0]), leaves(part[1]), value) for part in nodes(tree)}
    labels, matrix = list("abcd"), zero_one(4) if costs is None else costs
    least = margins(distributions(tree, known), matrix, labels)
    assert found.kept == kept_of(least, labels)
    assert set(found.ruled_out) == set(labels) - set(found.kept)
    assert found.robustness == model.robustness([[value]])[0]
    # the pair
    first, second = found.pair
    row = least[labels.index(first)]
    rivals = [c for c in (found.kept if len(found.kept) > 1 else labels) if c != first]
    assert second == min(rivals, key=lambda c: row[labels.index(c)])
    assert found.margin == pytest.approx(row[labels.index(second)])
    assert (found.margin > 1e-9) == (len(found.kept) == 1)
    assert (found.dominating, found.trees) == (int(len(found.kept) == 1), 1)
    # the dichotomies, from the root on, and where the pair parts
    assert len(found.dichotomies) == 3
    assert set(found.dichotomies[0].left + found.dichotomies[0].right) == set(labels)
    for one, part in zip(found.dichotomies, by_sides(nodes(tree), found), strict=True):
        assert (one.lower, one.upper) == pytest.approx(known[part])
        assert found.is_undecided(one) == all(set(leaves(p)) & set(found.kept) for p in part)
        for side, set_after in ((1.0, one.if_left), (0.0, one.if_right)):
            after = margins(distributions(tree, known | {part: (side,)}), matrix, labels)
            assert set_after == kept_of(after, labels)
    smallest = min((p for p in nodes(tree) if {first, second} <= set(leaves(p))),
                   key=lambda part: len(leaves(part)))  # fmt: skip
    assert set(found.decisive.left) in [set(leaves(part)) for part in smallest]
    check_words(found)


def by_sides(splits, found):
    """The splits of a nested tree in the order of an explanation."""
    place = {frozenset(map(frozenset, (leaves(p[0]), leaves(p[1])))): p for p in splits}
    return [place[frozenset((frozenset(d.left), frozenset(d.right)))] for d in found.dichotomies]


def check_words(found):
    """The paragraph names the classes, the pair and the interval of the decisive dichotomy."""
    text = str(found)
    one = found.decisive
    ends = [one.lower, one.upper] if found.pair[0] in one.left else [1 - one.upper, 1 - one.lower]
    assert f"between {ends[0]:.3g} and {ends[1]:.3g} there" in text
    if len(found.kept) == 1:
        assert text.startswith(f"The prediction is '{found.kept[0]}' alone. It dominates")
    else:
        assert text.startswith(f"The classes {', '.join(map(repr, found.kept))} remain")
    others = [d for d in found.dichotomies if found.is_undecided(d) and d is not one]
    if found.trees == 1:
        assert ("Also undecided:" in text) == bool(others)


def test_the_paragraph_of_a_tree():
    found = NestedDichotomies(TREE).fit(X, Y).explain_set([["high"]])
    # 'c' against 'a' or 'b': 3 of 3 rows and 3 of 15 have the value
    low, high = 3 * 3 / 5 / (3 * 3 / 5 + 17 * 5 / 17), 5 * 5 / 5 / (5 * 5 / 5 + 15 * 3 / 17)
    assert (round(low, 3), round(high, 3)) == (0.265, 0.654)
    assert str(found) == (
        "The classes 'b', 'c', 'd' remain, with s = 2. 'c' does not dominate 'b': its probability "
        "may be lower, by up to 0.471. They part at the dichotomy 'c' against 'a' or 'b': it has a "
        "probability between 0.265 and 0.654 there. Decided for 'c', it would leave 'c' alone; "
        "decided for 'a' or 'b', 'b' alone. Also undecided: 'a' or 'b' or 'c' (0.73 to 1) against "
        "'d'. No strength s, however small, makes the prediction a single class."
    )


# -- cuts of an order ------------------------------------------------------------------------------


def cumulative_laws(bounds):
    """Class probabilities of all monotone sequences of bounds within the box."""
    levels = sorted({end for pair in bounds for end in pair})
    for steps in product(levels, repeat=len(bounds)):
        within = all(low <= F <= high for F, (low, high) in zip(steps, bounds, strict=True))
        if within and list(steps) == sorted(steps):
            yield dict(zip("abcd", np.diff([0.0, *steps, 1.0]), strict=True))


@pytest.mark.parametrize("value", ["low", "mid", "high", "none"])
def test_every_statement_about_cuts_is_one_about_cumulative_distributions(value):
    model = NestedDichotomies(decomposition="cumulative").fit(X, Y)
    found = model.explain_set([[value]])
    labels = list("abcd")
    bounds = [interval(labels[:k], labels[k:], value) for k in (1, 2, 3)]
    assert [d.left for d in found.dichotomies] == [tuple("a"), tuple("ab"), tuple("abc")]
    assert [(d.lower, d.upper) for d in found.dichotomies] == [pytest.approx(b) for b in bounds]
    least = margins(cumulative_laws(bounds), zero_one(4), labels)
    assert found.kept == kept_of(least, labels)
    first, second = map(labels.index, found.pair)
    assert found.margin == pytest.approx(least[first, second])
    for k, one in enumerate(found.dichotomies):
        before = [(0.0, 0.0)] * (k + 1) + bounds[k + 1 :]
        for set_after, decided in ((one.if_left, bounds[:k] + [(1.0, 1.0)] * (3 - k)),
                                   (one.if_right, before)):  # fmt: skip
            after = margins(cumulative_laws(decided), zero_one(4), labels)
            assert set_after == kept_of(after, labels)
    between = [
        d for d in found.dichotomies if (found.pair[0] in d.left) != (found.pair[1] in d.left)
    ]
    assert found.decisive == max(between, key=lambda d: min(d.upper, 1 - d.lower))
    check_words(found)


# -- forests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("combine", ["mean", "vote"])
@pytest.mark.parametrize("value", ["low", "mid", "high", "none"])
def test_a_forest_is_explained_by_its_trees(combine, value):
    model = NestedDichotomyForest(12, combine=combine, random_state=1).fit(X, Y)
    found = model.explain_set([[value]])
    labels, trees = list("abcd"), list(zip(model.trees_, model.tree_counts_, strict=True))
    known = {
        part: interval(leaves(part[0]), leaves(part[1]), value)
        for tree, _ in trees
        for part in nodes(tree)
    }

    def least_of(known):
        return [margins(distributions(tree, known), zero_one(4), labels) for tree, _ in trees]

    def kept(known):
        each, counts = np.array(least_of(known)), model.tree_counts_[:, None, None]
        mean, wins = (counts * each).sum(axis=0) / 12, (counts * (each > 1e-9)).sum(axis=0)
        dominated = (mean > 1e-9 if combine == "mean" else wins > 6).any(axis=0)
        return tuple(c for c, out in zip(labels, dominated | dominated.all(), strict=True)
                     if not out or dominated.all()), mean, wins  # fmt: skip

    expected, mean, wins = kept(known)
    assert found.kept == expected
    first, second = map(labels.index, found.pair)
    assert found.margin == pytest.approx(mean[first, second])
    assert (found.dominating, found.trees) == (wins[first, second], 12)
    assert not found.in_a_cycle
    total = 0
    for one in found.dichotomies:
        assert one.parts(*found.pair)
        parts = [p for p in known if set(leaves(p[0])) == set(one.left)
                 and set(leaves(p[1])) == set(one.right)]  # fmt: skip
        assert parts
        times = sum(n for tree, n in trees for p in nodes(tree) if p in parts)
        assert one.trees == times
        total += times
        for side, set_after in ((1.0, one.if_left), (0.0, one.if_right)):
            assert set_after == kept(known | dict.fromkeys(parts, (side,)))[0]
    assert total == 12  # the pair parts once in every tree
    assert found.decisive.trees == max(one.trees for one in found.dichotomies)
    said = "on average over 12 trees" if combine == "mean" else f"in {found.dominating} of 12 trees"
    assert said in str(found)
    assert f", in {found.decisive.trees} of 12 trees: " in str(found)
    check_words(found)


def test_votes_in_a_cycle_are_said_to_be_one():
    rng = np.random.default_rng(0)
    points, y = rng.normal(size=(30, 1)), np.arange(30) % 3
    model = NestedDichotomyForest(60, combine="vote", base=CredalNeighbors(3), random_state=0)
    model.fit(points, y)
    # a majority of the three trees prefers 0 to 1, 1 to 2, and 2 to 0
    shares = {((0, 1), 2): (0.8, 0.7), ((0, 2), 1): (0.5, 0.3), (0, (1, 2)): (0.3, 0.3)}
    splits = model._split_models.splits
    known = {}
    for tree, (root, below) in shares.items():
        for part, share in zip(nodes(tree), (root, below), strict=True):
            known[leaves(part[0]), leaves(part[1])] = share
    sides = zip(splits.left, splits.right, strict=True)
    bounds = np.array([[known[tuple(tuple(np.flatnonzero(part)) for part in both)]
                        for both in sides]])  # fmt: skip
    model._split_models = SimpleNamespace(
        splits=splits, bounds=lambda rows: (bounds.copy(), bounds.copy())
    )
    assert set(model.trees_) == set(shares)
    model._weights = np.ones(3)
    found = model.explain_set(points[:1])
    assert found.kept == (0, 1, 2)
    assert found.in_a_cycle
    assert (found.dominating, found.trees) == (1, 3)
    assert "in 1 of 3 trees, not more than half. The votes form a cycle" in str(found)


# -- what else there is ----------------------------------------------------------------------------


def test_with_a_base_classifier_nothing_is_said_about_its_strength():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 2))
    y = (points[:, 0] > 0).astype(int) + (points[:, 1] > 0)
    model = NestedDichotomies(((0, 1), 2), base=CredalNeighbors(5)).fit(points, y)
    sizes = set()
    for x in points[:20, None]:
        found = model.explain_set(x)
        kept = model.predict_set(x)[0]
        assert found.kept == tuple(np.flatnonzero(kept).tolist())
        root = CredalNeighbors(5).fit(points, y < 2).predict_credal(x)
        assert found.dichotomies[0].lower == pytest.approx(root.lower[0, 1])
        assert isnan(found.s)
        assert isnan(found.robustness)
        assert "s = " not in str(found)
        assert "strength" not in str(found)
        sizes.add(len(found.kept))
    assert sizes > {1}


def test_one_class_needs_no_explanation():
    found = NestedDichotomies().fit([["a"], ["b"]], ["only", "only"]).explain_set([["a"]])
    assert (found.pair, found.dichotomies) == ((), ())
    assert str(found) == "The prediction is 'only': there is no other class."
    with pytest.raises(ValueError, match="the model has only one"):
        plots.plot_explanation(found)


def test_several_rows_are_refused():
    with pytest.raises(ValueError, match="x must be a table with one row, got 21 rows"):
        NestedDichotomies(TREE).fit(X, Y).explain_set(X)


def test_many_classes_are_named_in_part():
    rng = np.random.default_rng(0)
    table, y = rng.integers(0, 3, (200, 2)), np.arange(200) % 20
    found = NestedDichotomies("random", random_state=0).fit(table, y).explain_set(table[:1])
    assert len(found.kept) > 5
    assert " more against " in str(found) or " more:" in str(found)
    assert "and 1" in str(found).split("Also undecided")[1]
    ax = plots.plot_explanation(found, max_features=6)
    assert len(ax.get_yticklabels()) == 6
    assert ax.get_xlabel().endswith("13 more are not shown")


def test_the_plot_has_a_bar_from_the_lower_to_the_upper_probability_of_the_right_side():
    found = NestedDichotomies(TREE).fit(X, Y).explain_set([["high"]])
    ax = plots.plot_explanation(found)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a, b, c", "a, b", "a"]
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert bars == [pytest.approx((1 - d.upper, 1 - d.lower)) for d in found.dichotomies]
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert (colours[0] == colours[1], colours[1] == colours[2]) == (True, False)
    forest = NestedDichotomyForest(12, random_state=1).fit(X, Y).explain_set([["high"]])
    labels = plots.plot_explanation(forest).child_axes[0].get_yticklabels()
    assert labels[0].get_text().endswith(f"({forest.dichotomies[0].trees})")
