"""Plot of a Bayesian network: causes above, effects below.

Nodes are placed in layers so that every arc points down; an arc over several layers passes the
nodes in between through extra bends.  Within a layer, nodes are placed near their neighbours.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wager.plots._inputs import check_fitted, refuse
from wager.plots._labels import non_decreasing, text_width, width_of
from wager.plots._style import axes_or_new, series_colour, short_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_network"]

SWEEPS = 12  # passes over the layers to place the nodes
HEIGHT = 0.34  # of a box, in layers
UNIT = 0.53  # inches
SIZE = 8.0  # points of a name
LONGEST = 24  # characters of a name
LAYER = 0.85  # inches between layers
_CLASS_ARC = 0.1  # weight of the arcs from the class in a naive network

Point: TypeAlias = Hashable  # a node, or a bend: (parent, child, layer)


def plot_network(
    model: Any, ax: Axes | None = None, *, feature_names: Sequence[Any] | None = None
) -> Axes:
    """Draw the best network; the more probable an arc, the heavier it is drawn.

    Parameters
    ----------
    model : CausalMML, TAN, NaiveBayes or NaiveCredal
        A fitted model; any object with ``node_names_`` (the class last), ``edges_`` and
        ``edge_probabilities_`` works.
    ax : matplotlib Axes, optional
        Where to draw; a new figure of fitting size by default.
    feature_names : sequence of str, optional
        Names of the features of a model that learned from an array.

    Notes
    -----
    The weight of an arc is the posterior probability that its two nodes are joined in either
    direction, because data often cannot determine the direction.  Nodes without arcs are at the
    bottom.  In naive networks and TAN the class is a parent of every feature; these arcs are thin.
    """
    names, arcs, joint = _structure(model)
    if feature_names is not None:
        given = list(map(str, feature_names))
        if len(given) != len(names) - 1:
            raise ValueError(f"feature_names has {len(given)} names for {len(names) - 1} features")
        names = [*given, names[-1]]
    widths = [0.55 + text_width(short_text(name, LONGEST), SIZE) / UNIT for name in names]
    joined = sorted({node for arc in arcs for node in arc})
    alone = [k for k in range(len(names)) if k not in joined]
    place = layout(joined, arcs, widths)
    bottom = max((y for _, y in place.values()), default=-1) + 1
    place |= _rows(alone, widths, place, bottom)
    half: dict[Point, float] = {k: width / 2 for k, width in enumerate(widths)}
    left = min(x - half.get(point, 0.3) for point, (x, _) in place.items())
    right = max(x + half.get(point, 0.3) for point, (x, _) in place.items())
    last = max(layer for _, layer in place.values())
    ax = axes_or_new(ax, figsize=(0.4 + (right - left) * UNIT, 0.4 + LAYER * (last + 0.5)))
    ax.set(xlim=(left - 0.3, right + 0.3), ylim=(last + 0.4, -0.4))
    ax.axis("off")
    for a, b in arcs:
        _arc(ax, place, a, b, float(joint[a, b]))
    size = SIZE * min(1.0, width_of(ax) / (right - left + 0.6) / UNIT * 1.25)
    for k, name in enumerate(names):
        _box(ax, place[k], widths[k], name, k == len(names) - 1, k in alone, size)
    return ax


def _structure(model: Any) -> tuple[list[str], list[tuple[int, int]], Any]:
    """The nodes with the class last, the arcs, and the weight of each arc as a matrix."""
    check_fitted(model, "plot_network")
    if hasattr(model, "node_names_") and hasattr(model, "edges_"):
        names = list(model.node_names_)
        at = {name: k for k, name in enumerate(names)}
        arcs = [(at[a], at[b]) for a, b in model.edges_]
        return names, arcs, model.edge_probabilities_ + model.edge_probabilities_.T
    from wager.learners import TAN, NaiveBayes, NaiveCredal

    if not isinstance(model, TAN | NaiveBayes | NaiveCredal):
        hint = "pass its last step, pipeline[-1]" if hasattr(model, "steps") else ""
        kinds = "a fitted CausalMML, TAN, NaiveBayes or NaiveCredal"
        raise refuse("plot_network", kinds, model, hint)
    m = int(model.n_features_in_)
    names = [*map(str, getattr(model, "feature_names_in_", (f"x{j}" for j in range(m)))), "class"]
    joint = np.zeros((m + 1, m + 1))
    joint[m, :m] = _CLASS_ARC
    arcs = [(m, j) for j in range(m)]
    for j, parent in enumerate(getattr(model, "parents_", ())):
        if parent >= 0:
            arcs.append((int(parent), j))
            joint[int(parent), j] = 1.0
    return names, arcs, joint


def layout(
    nodes: Sequence[int], arcs: Sequence[tuple[int, int]], widths: Sequence[float]
) -> dict[Point, tuple[float, int]]:
    """The place (x, layer) of every node, and of every bend of an arc that passes a layer.

    Examples
    --------
    >>> place = layout([0, 1, 2], [(0, 1), (1, 2), (0, 2)], [1.0, 1.0, 1.0])
    >>> [place[node][1] for node in (0, 1, 2)], place[(0, 2, 1)][1]
    ([0, 1, 2], 1)
    """
    if not nodes:
        return {}
    layer_of = _layers(nodes, arcs)
    layers: list[list[Point]] = [[] for _ in range(max(layer_of.values()) + 1)]
    for node in nodes:
        layers[layer_of[node]].append(node)
    links: dict[Point, list[Point]] = {node: [] for node in nodes}
    for a, b in arcs:
        bends = [(a, b, layer) for layer in range(layer_of[a] + 1, layer_of[b])]
        for bend in bends:
            layers[bend[2]].append(bend)
            links[bend] = []
        for upper, lower in zip([a, *bends], [*bends, b], strict=True):
            links[upper].append(lower)
            links[lower].append(upper)
    x = _spread(layers, links, {k: widths[k] for k in nodes})
    return {point: (x[point], k) for k, layer in enumerate(layers) for point in layer}


def _layers(nodes: Sequence[int], arcs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Each node below its parents, and each root just above its topmost child."""
    layer = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for a, b in arcs:
            layer[b] = max(layer[b], layer[a] + 1)
    for node in sorted(nodes, key=lambda node: -layer[node]):
        children = [layer[b] for a, b in arcs if a == node]
        parents = [layer[a] for a, b in arcs if b == node]
        if children and not parents:
            layer[node] = min(children) - 1
    return layer


def _spread(
    layers: list[list[Point]], links: dict[Point, list[Point]], widths: dict[int, float]
) -> dict[Point, float]:
    """Places within the layers: repeatedly, each point moves near the mean of its neighbours."""
    x = {point: float(i) for layer in layers for i, point in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            target = {p: np.mean([x[q] for q in links[p]]) if links[p] else x[p] for p in layer}
            layer.sort(key=lambda p: target[p])
            _place(layer, target, widths, x)
    middle = np.mean(list(x.values()))
    return {point: float(at - middle) for point, at in x.items()}


def _place(
    layer: list[Point], target: dict[Point, Any], widths: dict[Any, float], x: dict[Point, float]
) -> None:
    """Put the points of a layer near their targets, but not closer than their widths allow."""
    space = [widths.get(point, 0.6) for point in layer]
    offsets = np.cumsum([0.0, *((a + b) / 2 + 0.5 for a, b in pairwise(space))])
    ideal = np.array([target[point] for point in layer], dtype=float) - offsets
    for point, at in zip(layer, non_decreasing(ideal) + offsets, strict=True):
        x[point] = float(at)


def _rows(
    nodes: list[int], widths: list[float], place: dict[Any, Any], first: int
) -> dict[Point, tuple[float, int]]:
    """Lines of nodes without arcs, about as wide as the layers above."""
    wide = max([14.0, *(2 * abs(x) for x, _ in place.values())])
    lines: list[list[int]] = [[]]
    for node in nodes:
        if sum(widths[k] + 0.5 for k in [*lines[-1], node]) > wide and lines[-1]:
            lines.append([])
        lines[-1].append(node)
    placed: dict[Point, tuple[float, int]] = {}
    for k, line in enumerate(lines):
        ends = np.cumsum([widths[node] + 0.5 for node in line])
        for node, end in zip(line, ends, strict=True):
            placed[node] = (float(end - (widths[node] + 0.5) / 2 - ends[-1] / 2), first + k)
    return placed


def _arc(ax: Axes, place: dict[Point, tuple[float, int]], a: int, b: int, weight: float) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    bends = [place[(a, b, layer)] for layer in range(place[a][1] + 1, place[b][1])]
    start = (place[a][0], place[a][1] + HEIGHT / 2)
    end = (place[b][0], place[b][1] - HEIGHT / 2)
    points, codes = [start], [Path.MOVETO]
    for (x0, y0), (x1, y1) in pairwise([start, *bends, end]):  # vertical at both ends
        points += [(x0, y0 + (y1 - y0) * 0.4), (x1, y1 - (y1 - y0) * 0.4), (x1, y1)]
        codes += [Path.CURVE4] * 3
    ax.add_patch(
        FancyArrowPatch(
            path=Path(points, codes),
            arrowstyle="-|>",
            mutation_scale=8 + 3 * weight,
            linewidth=0.5 + 1.3 * weight,
            color=str(0.75 - 0.5 * min(weight, 1.0)),
            zorder=1,
        )
    )


def _box(
    ax: Axes,
    at: tuple[float, int],
    width: float,
    name: str,
    is_class: bool,
    alone: bool,
    size: float,
) -> None:
    from matplotlib.patches import FancyBboxPatch

    x, y = at
    ax.add_patch(
        FancyBboxPatch(
            (x - width / 2, y - HEIGHT / 2),
            width,
            HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.12",
            facecolor=series_colour(0) if is_class else "white",
            edgecolor="0.8" if alone else series_colour(0),
            linewidth=0.9,
            zorder=2,
        )
    )
    ink = "white" if is_class else "0.6" if alone else "black"
    text = short_text(name, LONGEST)
    ax.text(x, y, text, ha="center", va="center", fontsize=size, color=ink, zorder=3)
