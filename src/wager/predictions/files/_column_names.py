"""What a file calls its columns, where that differs from ``y_true``, ``set``, ``p:`` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wager._tables import BLANKS, require_kind
from wager._visible import brief

__all__ = ["ROLES", "ColumnNames"]

_LABELS = ("y_true", "y_pred", "set", "mask")
_COLUMNS = (*_LABELS, "id", "weight", "count", "cluster", "group")
_PREFIXES = ("in:", "p:", "lower:", "upper:", "m:", "class_", "p_")
ROLES = (*_COLUMNS, *_PREFIXES)  # what a column may be; a class or a number follows a prefix


@dataclass(frozen=True)
class ColumnNames:
    """The names of columns by their role; a role that is not listed has its own name.

    Parameters
    ----------
    names : mapping of str to str
        For instance ``{"y_true": "truth", "p:": "prob_"}``: the true classes are in the column
        ``truth``, and the probability of class a is in ``prob_a``.
    lenient : bool, default=False
        Whether a column that does not exist is looked for by the name of its role.

    Examples
    --------
    >>> names = ColumnNames.of({"y_true": "truth"})
    >>> names.names["y_true"], names.is_taken("truth"), names.is_taken("y_true")
    ('truth', True, False)
    """

    names: Mapping[str, str] = field(default_factory=dict)
    lenient: bool = False

    @classmethod
    def of(cls, names: Mapping[str, str | None] | None, *, lenient: bool = False) -> ColumnNames:
        """Check the names; None stands for the name of the role."""
        require_kind(names, "columns", Mapping, type(None))
        given = {role: name for role, name in (names or {}).items() if name is not None}
        for role, name in given.items():
            if role not in ROLES:
                raise ValueError(
                    f"columns= has the unknown key {brief(role)}: choose from {', '.join(ROLES)}"
                )
            if not isinstance(name, str) or not name.strip(BLANKS):
                raise ValueError(f"columns={{{role!r}: ...}} must name a column, got {brief(name)}")
        return cls({role: name.strip(BLANKS) for role, name in given.items()}, lenient)

    def is_taken(self, name: str) -> bool:
        """Whether a column of this name is the truth or the predictions, and so nothing else."""
        return any(name == given for role, given in self.names.items() if role in _LABELS)
