"""Utilities that a person's answers describe: they carry an interval for u(0.5) and a label.

They behave as the table or curve that they are.  The interval shows how far the answers leave the
utility open, so that a recommendation can say whether it holds for all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from wager.rewards._custom_utilities import Tabulated
from wager.rewards._utilities import Exponential, Quadratic
from wager.rewards._utility import Utility, require


@dataclass(frozen=True, repr=False)
class _FromAnswers(Utility):
    """What elicited utilities have in common: an interval for u(0.5), and a label."""

    half_interval: tuple[float, float] | None = None
    label: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()  # type: ignore[misc]
        if self.half_interval is not None:
            ends = tuple(float(end) for end in self.half_interval)
            valid = len(ends) == 2 and 0 <= ends[0] <= ends[1] <= 1
            require(valid, "half_interval must be two ascending numbers in [0, 1]", ends)
            object.__setattr__(self, "half_interval", ends)

    def to_dict(self) -> dict[str, Any]:
        """The utility as plain data, as in a TOML file, without what is not given."""
        return {key: value for key, value in super().to_dict().items() if value not in (None, "")}


@dataclass(frozen=True, repr=False)
class ElicitedTable(_FromAnswers, Tabulated):
    """A table of values by set size that a person's answers describe.

    Parameters
    ----------
    values, miss
        As in `Tabulated`.
    half_interval : (float, float), optional
        An interval for u(0.5), the value of a set of two classes.
    label : str
        A name, such as that of the file.

    Examples
    --------
    >>> u = ElicitedTable([1.0, 0.7, 0.5], half_interval=(0.66, 0.73), label="mine")
    >>> u.name, u.half_interval
    ('elicited:mine', (0.66, 0.73))
    """

    kind: ClassVar[str] = "elicited"

    @property
    def name(self) -> str:
        """``"elicited"``, followed by the label."""
        return f"elicited:{self.label}" if self.label else "elicited"


@dataclass(frozen=True, repr=False)
class ElicitedQuadratic(_FromAnswers, Quadratic):
    """The parabola closest to a person's answers, with an interval for u(0.5)."""

    kind: ClassVar[str] = "elicited-quadratic"


@dataclass(frozen=True, repr=False)
class ElicitedExponential(_FromAnswers, Exponential):
    """The exponential utility closest to a person's answers, with an interval for u(0.5)."""

    kind: ClassVar[str] = "elicited-exp"
