"""Results with mappings that cannot be changed, which can still be copied and sent to processes."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


class ReadOnlyMappings:
    """Base of results with a `MappingProxyType`, which ``pickle`` and ``copy.deepcopy`` refuse.

    Examples
    --------
    >>> from copy import deepcopy
    >>> class Result(ReadOnlyMappings):
    ...     def __init__(self):
    ...         self.details = MappingProxyType({"n": 3})
    >>> deepcopy(Result()).details
    mappingproxy({'n': 3})
    """

    def __getstate__(self) -> tuple[dict[str, Any], list[str]]:
        fields = vars(self)
        closed = [name for name, value in fields.items() if isinstance(value, MappingProxyType)]
        return fields | {name: dict(fields[name]) for name in closed}, closed

    def __setstate__(self, state: tuple[dict[str, Any], list[str]]) -> None:
        fields, closed = state
        vars(self).update(fields)
        vars(self).update({name: MappingProxyType(fields[name]) for name in closed})
