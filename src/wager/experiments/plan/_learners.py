"""The learners of a plan: their parameters, grids of parameters, and tuning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from wager.experiments.plan._tuning import check_costs, scorer_of
from wager.learners import make_learner

__all__ = ["LearnerSpec"]

Values = dict[str, Annotated[list[Any], Field(min_length=1)]]


class LearnerSpec(BaseModel):
    """A learner with its parameters, a grid of further parameters, and its own preparation.

    ``grid`` makes one learner of every combination.  ``tune`` chooses among the combinations
    separately in each training set, by an inner cross-validation with ``tune_folds`` folds and
    the measure ``tune_measure``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    learner: str
    params: dict[str, Any] = {}
    grid: Values = {}
    tune: Values = {}
    tune_measure: str = "u65"
    tune_folds: Annotated[int, Field(ge=2)] = 5
    prepare: dict[str, Any] = {}

    def variants(self, label: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The label and the identity of every learner in the grid."""
        for values in product(*self.grid.values()):
            chosen = dict(zip(self.grid, values, strict=True))
            inside = ", ".join(f"{key}={_short(value)}" for key, value in chosen.items())
            what: dict[str, Any] = {"learner": self.learner, "params": self.params | chosen}
            if self.tune:
                what |= {
                    "tune": self.tune,
                    "tune_measure": self.tune_measure,
                    "tune_folds": self.tune_folds,
                }
            yield f"{label}[{inside}]" if inside else label, what

    def check(self) -> None:
        """Make every learner of the grid once; a ValueError says what is wrong."""
        for _, what in self.variants(""):
            learner = make_learner(what["learner"], what["params"])
            for key in self.tune:
                if key not in learner.get_params():
                    raise ValueError(f"tune names {key!r}, which is not a parameter")
            if self.tune:
                scorer_of(learner, self.tune_measure)
            check_costs(learner)


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("learner", value))
    return str(value)
