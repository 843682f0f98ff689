"""Extended costs from the name of an extension rule and its options, or from a table of sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from wager._tables import (
    encode_labels,
    is_one_of,
    named_values,
    real_number,
    real_numbers,
    require_kind,
)
from wager._typing import Array, Floats
from wager._visible import brief, in_one_line
from wager.costs._checks import are_costs, wrong_cost
from wager.costs._class_costs import ClassCosts
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._subsets import members_of, show_set
from wager.costs.extensions import (
    AbellanMasegosa,
    ClassSelective,
    ExtensionRule,
    PDiscounted,
    TabulatedCosts,
    UtilityDiscounted,
)
from wager.predictions import PredictionSets

__all__ = ["extend", "find_rule"]

# the rule of a name: how to make it, and the options it takes
_RULES: dict[str, tuple[Callable[..., ExtensionRule], tuple[str, ...]]] = {
    "discounted": (PDiscounted, ()),
    "p-discounted": (PDiscounted.from_options, ("r", "mode", "p")),
    "ha": (ClassSelective.from_options, ("delta",)),
    "abellan-masegosa": (AbellanMasegosa, ()),
    "utility": (UtilityDiscounted.from_options, ("utility",)),
}
_SAME_COST = 1e-9  # by how much a table may differ from the cost matrix for a single class


def extend(
    costs: ClassCosts,
    rule: str | Mapping[Any, Any] | ExtensionRule = "p-discounted",
    *,
    epsilon: float = 0.0,
    **options: Any,
) -> ExtendedCosts:
    """Extend costs of single classes to sets; `CostMatrix.extend` describes the rules."""
    require_kind(costs, "costs", ClassCosts)
    if not 0 <= real_number(epsilon, "epsilon") < np.inf:
        raise ValueError(f"epsilon must be finite and not negative, got {brief(epsilon)}")
    if epsilon:
        costs = type(costs)(costs.costs + epsilon, costs.classes, costs.unit)
    if isinstance(rule, Mapping):
        found: ExtensionRule = _tabulated(costs, rule, **options)
    else:
        found = find_rule(rule, **options)
    found.require(costs.table.sample())
    return ExtendedCosts(costs, found)


def find_rule(rule: str | ExtensionRule, **options: Any) -> ExtensionRule:
    """The rule with this name, with its options checked."""
    if isinstance(rule, ExtensionRule):
        if options:
            raise ValueError(
                f"an ExtensionRule object takes no further options, got {', '.join(options)}"
            )
        return rule
    if not is_one_of(rule, _RULES):
        raise ValueError(f"unknown extension rule {brief(rule)}: choose from {', '.join(_RULES)}")
    make, known = _RULES[rule]
    unknown = [name for name in options if name not in known]
    if unknown:
        takes = f"takes {', '.join(known)}" if known else "takes no options"
        raise ValueError(f"the rule {brief(rule)} {takes}, not {unknown[0]}")
    return make(**options)


def _tabulated(
    costs: ClassCosts,
    table: Mapping[Any, Any],
    *,
    otherwise: str | ExtensionRule = "p-discounted",
    **options: Any,
) -> TabulatedCosts:
    """A user's costs of sets, and the rule for what they leave out."""
    fallback = find_rule(otherwise, **options)
    if not table:
        raise ValueError("the table of set costs is empty: give at least one set, or name a rule")
    members = np.array([members_of(labels, costs.classes) for labels in table])
    rows = np.array([_row(labels, row, costs.classes) for labels, row in table.items()])
    distinct, first, counts = np.unique(members, axis=0, return_index=True, return_counts=True)
    if len(distinct) < len(members):
        twice = show_set(members[first[counts > 1][0]], costs.classes)
        raise ValueError(f"the table lists {twice} more than once: give each set once")
    single = np.flatnonzero(members.sum(axis=1) == 1)
    own = costs.costs[members[single].argmax(axis=1)]
    off = np.abs(rows[single] - own) > _SAME_COST
    if off.any():
        place, true = np.argwhere(off)[0]
        raise ValueError(
            f"{show_set(members[single[place]], costs.classes)} costs "
            f"{rows[single][place, true]:g} in the table but {own[place, true]:g} in the cost "
            f"matrix when {costs.classes[true]} is true: leave single classes out of the table"
        )
    return TabulatedCosts(PredictionSets.from_indicator(members, costs.classes), rows, fallback)


def _row(labels: Any, row: Any, classes: Array) -> Floats:
    """The costs of one set by true class; NaN where the user gave none."""
    shown = show_set(members_of(labels, classes), classes)
    values = np.full(len(classes), np.nan)
    named = named_values(row, f"the row of {shown}")
    if named is not None:
        codes, _ = encode_labels(list(named), classes, name=f"the costs of {shown}")
        given = real_numbers(list(named.values()), f"the costs of {shown}")
    else:
        codes = np.arange(len(classes))
        given = real_numbers(row, f"the costs of {shown}")
        if given.shape != values.shape:
            raise ValueError(
                f"{shown} needs one cost for each of the {len(classes)} classes, got {given.size}: "
                "give a mapping from labels to costs to leave some out"
            )
    bad = ~are_costs(given)
    if bad.any():
        true = in_one_line(str(classes[codes[bad.argmax()]]))
        raise ValueError(f"{wrong_cost(given[bad][0])} for {shown} when the true class is {true}")
    values[codes] = given
    return values
