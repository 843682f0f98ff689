"""The topic of every utility: its own meaning and formula, as measures have one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wager._tables import ROUNDING
from wager.report._topic import Topic
from wager.rewards import (
    Exponential,
    FBeta,
    Linear,
    Logarithmic,
    Power,
    Quadratic,
    Tabulated,
    Utility,
    get_utility,
)

_ZAFFALON = "Zaffalon, Corani & Mauá (2012)"
_MEAN = "mean of u(hit / k) with "
# Those that the list of topics names; all others that `get_utility` reads are explained as well.
UTILITIES = ("u50", "u65", "u80", "f1", "f2", "log", "log-norm", "exp:2", "exp-norm:2", "power:0.5")
# Names without their parameter, with an example that `get_utility` reads.
_FAMILIES = {"exp": "exp:2", "exp-norm": "exp-norm:2", "power": "power:0.5", "f": "f1", "u": "u65"}


def explain_utility(name: str) -> Topic | None:
    """The topic of a utility by its name, by u(0.5) or by its TOML file; None if there is none.

    Examples
    --------
    >>> explain_utility("f1").formula
    'mean of u(hit / k) with u(x) = 2 x / (x + 1)'
    >>> explain_utility("coverage") is None
    True
    """
    text = name.strip()
    spelled = _FAMILIES.get(text.lower(), text)
    if spelled.lower().endswith(".toml") and not Path(spelled).is_file():
        return None
    utility = _read(spelled)
    if utility is None:
        return None
    describe: Callable[[Any], dict[str, str]] = next(
        (words for kind, words in _WORDS.items() if isinstance(utility, kind)), _by_size
    )
    record = describe(utility)
    if spelled != text:
        record["use"] = f"The number is a parameter, here as in {spelled}. {record['use']}"
    record.setdefault("range", "0 (worst) to 1 (best)")
    return Topic(utility.name, group="utilities", **record)  # type: ignore[arg-type]


def _read(spelled: str) -> Utility | None:
    if spelled.lower().endswith(".toml"):
        return get_utility(spelled)  # the user has to correct a file that is not valid
    for text in (spelled, spelled.replace("_", "-").replace(" ", "-")):
        try:
            return get_utility(float(text) if _is_number(text) else text)
        except ValueError:
            continue
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _linear(utility: Linear) -> dict[str, str]:
    return {
        "meaning": "The mean reward of a bettor who is neutral to risk: the discounted accuracy.",
        "formula": "mean of hit / k",
        "use": "A set is worth no more than one of its classes drawn at random: use u65 or u80 if "
        "caution has a value.",
        "source": f"{_ZAFFALON}, Section 4",
    }


def _quadratic(utility: Quadratic) -> dict[str, str]:
    a, b = utility.coefficients
    a = 0.0 if abs(a) < ROUNDING else a
    attitude = (
        "neutral to risk" if a == 0 else "averse to risk" if a < 0 else "inclined to take risks"
    )
    half = f"{utility.u_half:.10g}"
    curve = "x" if a == 0 else f"{b:.6g} x {'+' if a > 0 else '-'} {abs(a):.6g} x^2"
    same = ", which is the discounted accuracy" if curve == "x" else ""
    return {
        "meaning": f"The mean worth of the predictions to someone {attitude}, to whom a set of two "
        f"classes with the true one is worth {half} of a single right class{same}.",
        "formula": f"{_MEAN}u(x) = {curve}, so u(0) = 0, u(0.5) = {half} and u(1) = 1",
        "use": "u65 and u80 are common in papers on credal classifiers; `wager elicit` asks what "
        "sets are worth to you, and `wager compare` shows for which u(0.5) a classifier is better.",
        "source": f"{_ZAFFALON}, Section 9",
    }


def _fbeta(utility: FBeta) -> dict[str, str]:
    b2 = utility.beta**2
    below = "x + 1" if b2 == 1 else f"{b2:.6g} x + 1"
    return {
        "meaning": "The F measure of information retrieval for each prediction: a set of k classes "
        "with the true one has precision 1/k and recall 1.",
        "formula": f"{_MEAN}u(x) = {1 + b2:.6g} x / ({below})",
        "use": "A set of two is worth "
        f"{float(utility(0.5)):.4g}; f1 lies between u65 and u80, and a larger beta values large "
        "sets more.",
        "source": f"{_ZAFFALON}, Equation 9; del Coz, Díez & Bahamonde (2009)",
    }


def _logarithmic(utility: Logarithmic) -> dict[str, str]:
    shape = "log2(1 + x), so u(1) = 1" if utility.normalized else "log(1 + x), natural logarithm"
    return {
        "meaning": "The mean worth of the predictions to someone averse to risk, with a "
        "logarithmic utility of the reward.",
        "formula": f"{_MEAN}u(x) = {shape}",
        "use": f"A set of two is worth {float(utility(0.5)) / float(utility(1.0)):.4g} of a single "
        "right class; risk aversion decreases as rewards add up.",
        "source": f"{_ZAFFALON}, Section 5",
        "range": "0 (worst) to 1 (best)" if utility.normalized else "0 (worst) to log 2 (best)",
    }


def _exponential(utility: Exponential) -> dict[str, str]:
    a = f"{utility.a:.6g}"
    shape = f"1 - exp(-{a} x)"
    if utility.normalized:
        shape = f"({shape}) / (1 - exp(-{a}))"
    return {
        "meaning": f"The mean worth of the predictions to someone with constant risk aversion {a}.",
        "formula": f"{_MEAN}u(x) = {shape}",
        "use": f"A set of two is worth {float(utility(0.5)) / float(utility(1.0)):.4g} of a single "
        "right class, however much was won before.",
        "source": f"{_ZAFFALON}, Section 5",
        "range": "0 (worst) to 1 (best)"
        if utility.normalized
        else f"0 (worst) to {float(utility(1.0)):.4g} (best)",
    }


def _power(utility: Power) -> dict[str, str]:
    return {
        "meaning": "The mean worth of the predictions with a power of the reward as utility.",
        "formula": f"{_MEAN}u(x) = x^{utility.exponent:.6g}",
        "use": f"A set of two is worth {float(utility(0.5)):.4g} of a single right class: averse "
        "to risk below exponent 1, neutral at 1.",
        "source": "common in economics",
    }


def _by_size(utility: Utility) -> dict[str, str]:
    sizes = [k for k in range(1, 5) if k <= utility.largest_size]
    values = ", ".join(f"{float(utility.of_size(k)):.4g} for {k}" for k in sizes)
    more = " and so on" if utility.largest_size > sizes[-1] else ""
    return {
        "meaning": f"The mean worth of the predictions under the utility {utility.name}.",
        "formula": "mean of the value of a hit by its set size (number of classes: "
        f"{values}{more}), {float(utility(0.0)):.4g} for a miss",
        "use": "Values by set size, as `wager elicit` finds them for you.",
        "source": "your own values",
        "range": "that of the values",
    }


_WORDS: dict[type[Utility], Callable[[Any], dict[str, str]]] = {
    Tabulated: _by_size,
    Linear: _linear,
    Quadratic: _quadratic,
    FBeta: _fbeta,
    Logarithmic: _logarithmic,
    Exponential: _exponential,
    Power: _power,
}
