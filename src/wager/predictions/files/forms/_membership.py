"""The form ``m:<class>``: a membership value for each class, which need not be a probability."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from wager._typing import Floats
from wager.predictions.files.forms._form import Rows
from wager.predictions.files.forms._numbers import NumberForm

__all__ = ["MembershipForm"]


@dataclass(frozen=True)
class MembershipForm(NumberForm):
    """One membership value per class: any finite number."""

    name = "m"
    heading = "m:"
    usage = "m:<class>"
    kind = "memberships"
    argument = "memberships"
    low, high, slack = -sys.float_info.max, sys.float_info.max, 0.0
    wanted = "a membership value is a finite number"

    def assemble(self, rows: Rows) -> Floats:
        return self.matrix(rows, self.columns)
