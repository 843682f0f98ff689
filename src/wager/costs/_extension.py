"""From the name of a rule and its options to extended costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wager._typing import Array, Floats
from wager.costs._extended import ExtendedCosts
from wager.costs._matrix import CostMatrix
from wager.costs._means import check_exponent
from wager.costs._rules import (
    AbellanMasegosa,
    ClassSelective,
    Mean,
    Rule,
    Table,
    UtilityDiscounted,
)
from wager.costs._subsets import members_of, show_set
from wager.predictions import PredictionSets, encode_labels
from wager.rewards import UtilityLike, get_utility

__all__ = ["extend", "find_rule"]

MODES = ("cautious", "mistake-averse")


def extend(
    costs: CostMatrix,
    rule: str | Mapping[Any, Any] | Rule = "p-discounted",
    *,
    epsilon: float = 0.0,
    **options: Any,
) -> ExtendedCosts:
    """Carry determinate costs over to sets of classes; `CostMatrix.extend` has the rules."""
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"epsilon must be finite and not negative, got {epsilon!r}")
    if epsilon:
        costs = CostMatrix(costs.costs + epsilon, costs.classes)
    if isinstance(rule, Mapping):
        found: Rule = _table(costs, rule, **options)
    else:
        found = find_rule(rule, **options)
    found.require(costs.costs)
    return ExtendedCosts(costs, found)


def find_rule(rule: str | Rule, **options: Any) -> Rule:
    """The rule of a name, with its options checked."""
    if isinstance(rule, Rule):
        if options:
            raise ValueError(f"a ready rule takes no options, got {', '.join(options)}")
        return rule
    if rule not in _RULES:
        raise ValueError(f"there is no rule called {rule!r}: choose from {', '.join(_RULES)}")
    make, known = _RULES[rule]
    unknown = [name for name in options if name not in known]
    if unknown:
        takes = f"takes {', '.join(known)}" if known else "takes no options"
        raise ValueError(f"the rule {rule!r} {takes}, not {unknown[0]}")
    return make(**options)


def _p_discounted(r: float | None = None, mode: str = "cautious", p: float | None = None) -> Mean:
    """Equations (14) to (16); ``p = 1 - r``, so mistakes are averaged with ``2 - p = 1 + r``."""
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")
    if p is None:
        r = 0.5 if r is None else float(r)
        if not 0 <= r <= 1:
            raise ValueError(f"r must lie in [0, 1], got {r!r}: 0 gives caution no reward, 1 most")
        inside, outside = 1 - r, 1 + r
    elif r is None:
        inside = check_exponent(p)
        outside = 2 - inside
    else:
        raise ValueError(f"give either r or the exponent p = 1 - r, got r={r!r} and p={p!r}")
    return Mean(inside, inside if mode == "cautious" else outside)


def _ha(delta: float | None = None) -> ClassSelective:
    if delta is None:
        raise ValueError("the rule 'ha' needs delta, the cost of each class beyond the first")
    if not 0 <= delta < np.inf:
        raise ValueError(f"delta must be finite and not negative, got {delta!r}")
    return ClassSelective(float(delta))


def _utility(utility: UtilityLike = "u65") -> UtilityDiscounted:
    return UtilityDiscounted(get_utility(utility))


_RULES: dict[str, tuple[Callable[..., Rule], tuple[str, ...]]] = {
    "discounted": (Mean, ()),
    "p-discounted": (_p_discounted, ("r", "mode", "p")),
    "ha": (_ha, ("delta",)),
    "abellan-masegosa": (AbellanMasegosa, ()),
    "utility": (_utility, ("utility",)),
}


def _table(
    costs: CostMatrix,
    table: Mapping[Any, Any],
    *,
    otherwise: str | Rule = "p-discounted",
    **options: Any,
) -> Table:
    """A user's own costs of sets, and the rule for what they leave out."""
    fallback = find_rule(otherwise, **options)
    if not table:
        raise ValueError("the table of set costs is empty: give a set, or name a rule instead")
    members = np.array([members_of(labels, costs.classes) for labels in table])
    rows = np.array([_row(labels, row, costs.classes) for labels, row in table.items()])
    distinct, first, counts = np.unique(members, axis=0, return_index=True, return_counts=True)
    if len(distinct) < len(members):
        twice = show_set(members[first[counts > 1][0]], costs.classes)
        raise ValueError(f"the table gives costs of {twice} more than once: give each set once")
    single = np.flatnonzero(members.sum(axis=1) == 1)
    own = costs.costs[members[single].argmax(axis=1)]
    off = np.abs(rows[single] - own) > 1e-9
    if off.any():
        place, true = np.argwhere(off)[0]
        raise ValueError(
            f"the table gives {show_set(members[single[place]], costs.classes)} the cost "
            f"{rows[single][place, true]:g} when it is {costs.classes[true]}, the cost matrix "
            f"{own[place, true]:g}: a single class has the cost of the matrix"
        )
    return Table(PredictionSets.from_indicator(members, costs.classes), rows, fallback)


def _row(labels: Any, row: Any, classes: Array) -> Floats:
    """The costs of one set by true class; NaN where the user is silent."""
    shown = show_set(members_of(labels, classes), classes)
    values = np.full(len(classes), np.nan)
    if isinstance(row, Mapping):
        codes, _ = encode_labels(list(row), classes, name=f"the costs of {shown}")
        given = np.array(list(row.values()), dtype=np.float64)
    else:
        codes = np.arange(len(classes))
        given = np.asarray(row, dtype=np.float64)
        if given.shape != values.shape:
            raise ValueError(
                f"the costs of {shown} must be one for each of the {len(classes)} classes, got "
                f"{given.size}: give them as a mapping to leave some out"
            )
    bad = ~(np.isfinite(given) & (given >= 0))
    if bad.any():
        true = classes[codes[bad.argmax()]]
        raise ValueError(
            f"costs must be finite and not negative, got {given[bad][0]:g} for {shown} when it is "
            f"{true}"
        )
    values[codes] = given
    return values
