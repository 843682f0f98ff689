"""Check the values of a learner's parameters before there are data to fit it on."""

from __future__ import annotations

from typing import Any

from wager._visible import brief, reason

__all__ = ["check_parameters"]


def check_parameters(learner: Any) -> None:
    """Raise a ValueError for a value that ``fit`` would refuse, as far as that shows without data.

    The parameters of the learner and of all estimators inside it are checked; learners of other
    libraries than scikit-learn and this one have no check before ``fit``.

    Examples
    --------
    >>> from wager.learners import NaiveCredal, Rejecting
    >>> check_parameters(Rejecting(NaiveCredal(s=-2), 0.8))
    Traceback (most recent call last):
    ...
    ValueError: s must be a number of rows, 0 or more, got -2
    """
    inside = learner.get_params(deep=True).values() if hasattr(learner, "get_params") else ()
    for part in (learner, *inside):
        check = getattr(part, "_check_arguments", None)
        if check is None and type(part).__module__.startswith("sklearn."):
            check = getattr(part, "_validate_params", None)
        if check is None or isinstance(part, type):
            continue
        try:
            check()
        except TypeError as problem:  # such as a text where a number is compared
            values = ", ".join(f"{k}={brief(v)}" for k, v in part.get_params(deep=False).items())
            raise ValueError(
                f"{type(part).__name__}({values}) has a value of the wrong type: {reason(problem)}"
            ) from None
