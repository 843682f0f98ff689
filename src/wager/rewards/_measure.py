"""The record of a measure: what it is called, how it is computed and what it means.

Every measure has one record, defined next to the function that computes it.  Functions of
`wager.metrics`, evaluations, scorers, plans, tables and ``wager explain`` all read from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from wager._tables import Table, View, Viewed, require_kind

Kind: TypeAlias = Literal[
    "sets", "p-values", "probabilities", "memberships", "costs", "rows", "comparisons"
]  # fmt: skip

ZAFFALON_2012 = "Zaffalon, Corani & Mauá (2012)"
HOPE_KORB_2004 = "Hope & Korb (2004)"
CREDAL_USAGE = "common in credal classification"
CONFORMAL_USAGE = "common in conformal prediction"


@dataclass(frozen=True, repr=False)
class Measure(Viewed):
    """A measure of predictions, with what there is to know about it.

    Parameters
    ----------
    name : str
        Its name in Python, in plans and in JSON output, such as ``"coverage_gap"``.
    function : callable, optional
        Computes the measure, usually from ``(y_true, y_pred)``.
    greater_is_better : bool or None, default=True
        Whether larger values are better; None if the values cannot be ranked, such as tables.
    meaning : str
        What it is, in one sentence.
    formula : str
        How it is computed.  For sets, k is the size of a set, and hit is 1 if the set contains
        the true class and 0 otherwise.
    use : str
        When to look at it, and what it does not show.
    source : str
        The paper, or the field that uses it.
    range : str
        The possible values, worst and best.
    kind : {"sets", "p-values", "probabilities", "memberships", "costs", "rows", "comparisons"}
        What it is a measure of.
    needs_truth : bool, default=True
        Whether `function` takes the true classes; set sizes, for example, do not need them.
    aliases : tuple of str
        Other names under which ``wager explain`` finds it.
    title : str, optional
        The name in words, for tables; by default `name` with spaces instead of underscores.
    of_tally : callable, optional
        Computes the measure from a tally, for measures that have no formula for each row.
    takes_groups : bool, default=False
        Whether `of_tally` also takes a `GroupTally`, and gives one value per group.
    is_rare : bool, default=False
        Whether ``wager score`` shows it in tables only with ``--all``.
    evaluation : callable, optional
        Computes the measure with its standard errors, for measures that need more than the
        predictions: `evaluate_sets` calls that of ``average_cost`` if it is given costs.

    Examples
    --------
    >>> from wager.rewards import MEASURES
    >>> MEASURES["coverage_gap"].greater_is_better, MEASURES["coverage_gap"].title
    (False, 'coverage gap')
    """

    name: str
    function: Callable[..., Any] | None = None
    greater_is_better: bool | None = True
    meaning: str = ""
    formula: str = field(default="", kw_only=True)
    use: str = field(default="", kw_only=True)
    source: str = field(default="", kw_only=True)
    range: str = field(default="0 (worst) to 1 (best)", kw_only=True)
    kind: Kind = field(default="sets", kw_only=True)
    needs_truth: bool = field(default=True, kw_only=True)
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    title: str = field(default="", kw_only=True)
    of_tally: Callable[[Any], float] | None = field(default=None, kw_only=True)
    takes_groups: bool = field(default=False, kw_only=True)
    is_rare: bool = field(default=False, kw_only=True)
    evaluation: Callable[..., Any] | None = field(default=None, kw_only=True)

    def _view(self) -> View:
        direction = {True: "larger is better", False: "smaller is better", None: ""}
        facts = {
            "meaning": self.meaning,
            "formula": self.formula,
            "range": self.range,
            "use": self.use,
            "source": self.source,
            "name in Python": self.name,
        }
        rows = [[name, words] for name, words in facts.items() if words]
        notes = [direction[self.greater_is_better]] if self.greater_is_better is not None else []
        return View(self.title, [Table((), rows, "<<")], notes)

    def __post_init__(self) -> None:
        require_kind(self.name, "name", str)
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " "))

    def __call__(self, tally: Any) -> float:
        """The value of the measure, from a tally."""
        if self.of_tally is None:
            raise ValueError(
                f"{self.name} cannot be computed from a tally: pass the predictions themselves"
            )
        return self.of_tally(tally)

    @property
    def is_read_off_tallies(self) -> bool:
        """Whether a tally is enough to compute the measure."""
        return self.of_tally is not None

    @property
    def metric(self) -> Callable[..., Any] | None:
        """The measure as a function in scikit-learn's argument order, if it has one."""
        return self.function
