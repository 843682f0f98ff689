"""Which parameter of a set-valued classifier, or of a pipeline that ends in one, is to be tuned."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from wager._visible import brief
from wager.learners._strengths import Strength
from wager.learners.wrappers._inner import innermost

__all__ = ["TunedParameter", "find_parameter"]


@dataclass(frozen=True)
class TunedParameter:
    """A parameter of an estimator that makes it more or less cautious.

    Attributes
    ----------
    path : str
        The name for ``set_params``, such as "naivecredal__s".
    name : str
        The name in the classifier that has it, such as "s".
    given : Any
        Its value in the estimator as it was given.
    values : tuple of float
        The values to try by default; empty if none are known.
    refit : str or None
        Why the estimator must be fitted again for each value; None if its sets can be decided
        again.
    """

    path: str
    name: str
    given: Any
    values: tuple[float, ...] = ()
    refit: str | None = None


def find_parameter(estimator: Any, parameter: str | None) -> TunedParameter:
    """The parameter with this name, in the last step of a pipeline or anywhere in the estimator.

    Without a name it is the usual one of the classifier.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from wager.learners import NaiveCredal, Rejecting
    >>> from wager.prepare import MDLDiscretizer
    >>> find_parameter(make_pipeline(MDLDiscretizer(), NaiveCredal(s=2)), None).path
    'naivecredal__s'
    >>> find_parameter(Rejecting(NaiveCredal(), 0.5), "estimator__s").refit
    's belongs to NaiveCredal, which is inside Rejecting'
    """
    prefix, last = _last_step(estimator)
    own = last.get_params(deep=False)
    if parameter is None:
        known = _strengths_of(last)
        if not known:
            raise ValueError(
                f"no strength of {type(last).__name__} is known: name the parameter that makes it "
                "more or less cautious with parameter=, and its values with strengths="
            )
        parameter = known[0].name
    if not isinstance(parameter, str):
        raise TypeError(f"parameter must be a name such as 's', got {brief(parameter)}")
    name = parameter.removeprefix(prefix)
    if name in own:
        found = next((s for s in _strengths_of(last) if s.name == name), None)
        if found is None:
            why = f"it is not known whether {type(last).__name__} uses {name} while fitting"
            return TunedParameter(prefix + name, name, own[name], refit=why)
        return TunedParameter(prefix + name, name, own[name], found.values, found.refit)
    return _inside(estimator, parameter, own)


def _inside(estimator: Any, path: str, own: Any) -> TunedParameter:
    """A parameter of an estimator that is a part of the classifier, such as "estimator__s"."""
    every = estimator.get_params()
    if path not in every:
        near = get_close_matches(path.lower(), [*own, *every], n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(own)}"
        raise ValueError(f"{type(estimator).__name__} has no parameter {brief(path)}: {hint}")
    holder, _, name = path.rpartition("__")
    part = every.get(holder)
    values = next((s.values for s in _strengths_of(part) if s.name == name), ())
    why = f"{name} belongs to {type(part).__name__}, which is inside {type(estimator).__name__}"
    return TunedParameter(path, name, every[path], values, why)


def _last_step(estimator: Any) -> tuple[str, Any]:
    """The last step of a pipeline, and the prefix of its parameters."""
    prefix = ""
    while hasattr(estimator, "steps"):
        step, estimator = estimator.steps[-1]
        prefix += f"{step}__"
    if not hasattr(estimator, "get_params") or not hasattr(innermost(estimator), "predict_set"):
        name = type(estimator).__name__
        raise ValueError(
            f"TunedCaution needs a set-valued classifier, but {name} has no predict_set: wrap it, "
            f"for instance Nondeterministic({name}())"
        )
    return prefix, estimator


def _strengths_of(estimator: Any) -> tuple[Strength, ...]:
    return getattr(estimator, "_strengths", ())
