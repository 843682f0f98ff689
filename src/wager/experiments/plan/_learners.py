"""The learners of a plan: their parameters, grids of parameters, and the measures of tuning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from wager._typing import Array, Bools
from wager._visible import brief, reason
from wager.costs import average_cost
from wager.experiments.plan._code import exit_refused, import_paths
from wager.experiments.plan._keys import canonical
from wager.learners import check_parameters, find_learner, make_learner
from wager.rewards import make_set_scorer

__all__ = ["ORDINAL", "LearnerSpec", "first_column_of_numbers", "scorer_of"]

COST = "cost:"
ORDINAL = "ordinal"  # costs that grow with the distance between the ranks of two classes

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
        shown = [_as_labels(values) for values in self.grid.values()]
        for values, texts in zip(product(*self.grid.values()), product(*shown), strict=True):
            chosen = dict(zip(self.grid, values, strict=True))
            inside = ", ".join(f"{key}={text}" for key, text in zip(chosen, texts, strict=True))
            what: dict[str, Any] = {"learner": self.learner, "params": self.params | chosen}
            if self.tune:
                what |= {
                    "tune": self.tune,
                    "tune_measure": self.tune_measure,
                    "tune_folds": self.tune_folds,
                }
            yield f"{label}[{inside}]" if inside else label, what

    @property
    def n_variants(self) -> int:
        """The number of learners in the grid."""
        return prod(len(values) for values in self.grid.values())

    def import_paths(self) -> list[str]:
        """The dotted paths of all classes that the learners would import."""
        named = (self.learner, self.params, self.grid, self.tune)
        return sorted({path for part in named for path in import_paths(part)})

    def first(self) -> Any:
        """The first learner of the grid."""
        _, what = next(self.variants(""))
        return _made(what)

    def check(self) -> None:
        """Make every learner of the grid once; a ValueError says what is wrong."""
        for _, what in self.variants(""):
            learner = _made(what)
            _require_plain(what)
            check_parameters(learner)
            for key in self.tune:
                if key not in learner.get_params():
                    raise ValueError(f"tune names {key!r}, which is not a parameter")
            if self.tune:
                scorer_of(learner, self.tune_measure)
            _check_costs(learner)


def _made(what: dict[str, Any]) -> Any:
    """The learner, not yet fitted."""
    for path in import_paths({name: what[name] for name in ("learner", "params")}):
        with exit_refused(path):  # the one at fault may be inside another learner
            find_learner(path)
    with exit_refused(what["learner"]):
        return make_learner(what["learner"], what["params"])


def _require_plain(what: dict[str, Any]) -> None:
    """Refuse parameters that have no key: objects may change without a sign."""
    try:
        canonical(what)
    except TypeError as problem:
        raise ValueError(
            f"params must be numbers, text, lists and tables ({reason(problem)}): write a learner "
            "as a table with learner and params"
        ) from None


def _as_labels(values: list[Any]) -> list[str]:
    """Text for each value of a grid; learners have their parameters if names do not suffice.

    Examples
    --------
    >>> _as_labels([{"learner": "tan"}, {"learner": "naive-credal", "params": {"s": 1}}])
    ['tan', 'naive-credal']
    >>> _as_labels([{"learner": "naive-credal", "params": {"s": s}} for s in (1, 2)])
    ['naive-credal(s=1)', 'naive-credal(s=2)']
    """
    names = [_with_params(value, name_alone=True) for value in values]
    return names if len(set(names)) == len(names) else [_with_params(value) for value in values]


def _with_params(value: Any, *, name_alone: bool = False) -> str:
    """A value as text."""
    if not (isinstance(value, dict) and "learner" in value):
        return str(value)
    params = value.get("params")
    if name_alone or not isinstance(params, dict):
        params = {}
    inside = ", ".join(f"{key}={_with_params(each)}" for key, each in params.items())
    return f"{value['learner']}({inside})" if inside else str(value["learner"])


def scorer_of(learner: Any, measure: str) -> Any:
    """The scorer that a search maximises: a measure of sets, or accuracy for precise learners.

    Accuracy is the expected utility of single classes under every utility.  ``"cost:0.5"`` is
    minus the average p-discounted cost with r = 0.5, computed from the costs that the learner
    has; ``"cost:0.5:mistake-averse"`` uses the other mode.

    Examples
    --------
    >>> from wager.learners import NaiveCredal
    >>> scorer_of(NaiveCredal(), "u80")
    make_set_scorer(utility_discounted_accuracy, utility='u80')
    """
    if not hasattr(learner, "predict_set"):
        return "accuracy"
    if measure.startswith(COST):
        return _cost_scorer(learner, measure)
    return make_set_scorer(measure)


def _cost_scorer(learner: Any, measure: str) -> Any:
    costs = getattr(learner, "costs", None)
    if costs is None:
        raise ValueError(
            f"the measure {brief(measure)} needs costs: set the learner's parameter costs"
        )
    r, _, mode = measure.removeprefix(COST).partition(":")
    try:
        options: dict[str, Any] = {"r": float(r), "mode": mode or "cautious"}
    except ValueError:
        options = {"r": -1.0, "mode": mode}
    if not 0 <= options["r"] <= 1 or options["mode"] not in ("cautious", "mistake-averse"):
        raise ValueError(
            f"there is no measure {brief(measure)}: write 'cost:0.5' or 'cost:0.5:mistake-averse', "
            "with a number between 0 and 1"
        )
    return make_set_scorer(average_cost, costs=costs, rule="p-discounted", **options)


def _check_costs(learner: Any) -> None:
    """Raise an error if a learner's costs are a word with no meaning."""
    for key, value in learner.get_params().items():
        if key.rpartition("__")[2] == "costs" and isinstance(value, str) and value != ORDINAL:
            raise ValueError(f"{key} must be {ORDINAL!r} or a table of numbers, got {brief(value)}")


def first_column_of_numbers(learner: Any, X: Array, nominal: Bools) -> int | None:
    """The first numeric column that a learner of nominal features does not take; None if none.

    A learner whose ``n_values`` is left open gets the declared values of each column, and a
    numeric column declares none.  Any other learner of nominal features takes numbers that may be
    codes.
    """
    from sklearn.utils import get_tags

    tags = get_tags(learner).input_tags
    if not (tags.categorical and tags.positive_only):
        return None
    is_declared = learner.get_params(deep=False).get("n_values", "") is None
    for j in np.flatnonzero(~nominal):
        known = X[~np.isnan(X[:, j]), j]
        if (is_declared and len(known)) or (known < 0).any() or (known != np.floor(known)).any():
            return int(j)
    return None
