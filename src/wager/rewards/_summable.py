"""What all tallies have in common: they add up with ``sum``, and can be written as JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self


class SummableTally(ABC):
    """Base class of tallies: subclasses define ``__add__``, `to_dict` and `from_dict`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The tally as plain data."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The tally that `to_dict` wrote."""

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # sum(tallies) starts with 0

    def to_json(self) -> str:
        """The tally as one line of JSON; `from_json` reads it."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tally that `to_json` wrote."""
        return cls.from_dict(json.loads(text))
