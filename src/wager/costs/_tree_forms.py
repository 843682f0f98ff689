"""A tree of classes from the forms in which people write one: all become child and parent.

Each reader returns the parent of every node, by name; ``None`` is the parent of a root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from wager._visible import brief

__all__ = ["parents_of"]

Parents = dict[Any, Any]


def parents_of(tree: Any, sep: str) -> Parents:
    """The parent of every node, in the order in which the tree lists them.

    Parameters
    ----------
    tree : mapping, sequence of paths, nested lists, or array of parents
        As in `ClassHierarchy`.
    sep : str
        What separates the parts of a path.

    Examples
    --------
    >>> parents_of(["animal/dog", "animal/cat", "oak"], "/")
    {'animal': None, 'dog': 'animal', 'cat': 'animal', 'oak': None}
    >>> parents_of({"animal": ["dog", "cat"]}, "/")
    {'animal': None, 'dog': 'animal', 'cat': 'animal'}
    >>> parents_of([-1, 0, 0], "/")
    {0: None, 1: 0, 2: 0}
    """
    if isinstance(tree, Mapping):
        if not tree:
            raise ValueError("the hierarchy is empty: name at least two classes")
        nested = [_is_collection(value) for value in tree.values() if value is not None]
        if nested and all(nested):
            found: Parents = {}
            _add_children(found, None, tree)
            return found
        if not any(nested):
            return _from_child_to_parent(tree)
        raise ValueError(
            "a hierarchy as a dictionary maps each node to its children (lists or dictionaries), "
            "or each node to its parent (a name): do not mix both"
        )
    items = list(tree) if isinstance(tree, Iterable) and not isinstance(tree, str | bytes) else []
    if not items:
        raise ValueError(
            f"a hierarchy must be a dictionary, a list of paths such as 'animal{sep}dog', nested "
            f"lists, or an array of parents, got {brief(tree)}"
        )
    if all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        return _from_parent_numbers([int(item) for item in items])
    if all(isinstance(item, str) for item in items):
        return _from_paths(items, sep)
    found = {}
    _add_children(found, None, items)
    return found


def _is_collection(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence | set | np.ndarray) and not isinstance(value, str)


def _add(found: Parents, node: Any, parent: Any) -> None:
    if node in found:
        raise ValueError(
            f"the node {node!r} occurs twice in the hierarchy, below {_below(found[node])} and "
            f"{_below(parent)}: give each node one name and one parent"
        )
    found[node] = parent


def _below(parent: Any) -> str:
    return "no other node" if parent is None else repr(parent)


def _add_children(found: Parents, parent: Any, children: Any) -> None:
    """Add a nested tree: mappings name their nodes; lists inside lists get the names of leaves."""
    if isinstance(children, Mapping):
        for node, below in children.items():
            _add(found, node, parent)
            if below is not None and _is_collection(below):
                _add_children(found, node, below)
            elif below is not None:
                _add(found, below, node)
        return
    for child in children:
        if isinstance(child, Mapping) or (_is_collection(child) and len(child) == 1):
            _add_children(found, parent, child)
        elif _is_collection(child):
            name = "|".join(map(str, _leaves(child)))
            _add(found, name, parent)
            _add_children(found, name, child)
        else:
            _add(found, child, parent)


def _leaves(tree: Any) -> list[Any]:
    if isinstance(tree, Mapping):
        return [leaf for node, below in tree.items() for leaf in (_leaves(below) or [node])]
    if _is_collection(tree):
        return [leaf for child in tree for leaf in _leaves(child)]
    return [] if tree is None else [tree]


def _from_child_to_parent(tree: Mapping[Any, Any]) -> Parents:
    found: Parents = {}
    for child, parent in tree.items():
        if parent is not None and parent not in tree:
            found.setdefault(parent, None)
        found[child] = parent
    return found


def _from_parent_numbers(parents: list[int]) -> Parents:
    n = len(parents)
    wrong = [node for node, parent in enumerate(parents) if not -1 <= parent < n]
    if wrong:
        raise ValueError(
            f"the parent of node {wrong[0]} is {parents[wrong[0]]}, but nodes are numbered 0 to "
            f"{n - 1}: give -1 for the root"
        )
    return {node: None if parent < 0 else parent for node, parent in enumerate(parents)}


def _from_paths(paths: list[str], sep: str) -> Parents:
    """Nodes are called by the last part of their path, unless two nodes would share it."""
    whole: dict[tuple[str, ...], None] = {}
    for path in paths:
        parts = tuple(path.split(sep))
        if not all(part.strip() for part in parts):
            raise ValueError(f"the path {path!r} has an empty part: write it as 'animal{sep}dog'")
        for depth in range(1, len(parts) + 1):
            whole.setdefault(parts[:depth])
    ends = [parts[-1] for parts in whole]
    names = {parts: parts[-1] if ends.count(parts[-1]) == 1 else sep.join(parts) for parts in whole}
    return {names[parts]: names.get(parts[:-1]) for parts in whole}
