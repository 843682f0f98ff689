"""Results that can be pickled and copied, also after they were shown.

Pickle writes neither mappings that cannot be changed nor the caches of functions that a result
keeps from one report to the next.
"""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import Any

__all__ = ["Pickled"]


class Pickled:
    """Base of results: a copy has the same fields, and computes again what it needs.

    Examples
    --------
    >>> from copy import deepcopy
    >>> from wager.compare import wilcoxon
    >>> result = wilcoxon([0.9, 0.8, 0.7], [0.8, 0.6, 0.4])
    >>> deepcopy(result) == result
    True
    """

    def __getstate__(self) -> tuple[dict[str, Any], list[str]]:
        fields = {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
        fixed = [name for name, value in fields.items() if isinstance(value, MappingProxyType)]
        return fields | {name: dict(fields[name]) for name in fixed}, fixed

    def __setstate__(self, state: tuple[dict[str, Any], list[str]]) -> None:
        fields, fixed = state
        vars(self).update(fields | {name: MappingProxyType(fields[name]) for name in fixed})
