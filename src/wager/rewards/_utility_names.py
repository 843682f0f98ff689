"""Find a utility by its name, by a number, or in the file that it was written to.

``"u65"``, ``"f1"``, ``"log-norm"``, ``"exp:2"`` and 0.7 specify utilities, and so does the path of
a TOML file with a kind and the parameters of that kind::

    kind = "quadratic"      # linear, quadratic, fbeta, log, exp, power, tabulated or human
    u_half = 0.7            # quadratic: u_half; fbeta: beta; log: normalized; exp: a, normalized;
                            # power: exponent; tabulated: values (by set size 1, 2, ...), miss
                            # human: accuracy (by set size), n or standard_errors, cost, miss
    name = "clinic"         # optional: the name in tables; that of a table is else the file's
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

from wager._atomic import replacing
from wager._tables import real_number
from wager._toml import parsed_toml
from wager._visible import brief, in_one_line
from wager.rewards._custom_utilities import Custom, Tabulated
from wager.rewards._elicited_utilities import (
    ElicitedExponential,
    ElicitedQuadratic,
    ElicitedTable,
)
from wager.rewards._human_utility import HumanUtility
from wager.rewards._utilities import Exponential, FBeta, Linear, Logarithmic, Power, Quadratic
from wager.rewards._utility import Utility

UtilityLike: TypeAlias = Utility | str | float | Path | Callable[[Any], Any]


def _by_percentage(percent: float) -> Utility:
    if 0 < percent < 1:
        raise ValueError(
            f"u{percent:g} is a percentage and would mean u(0.5) = {percent / 100:g}: write "
            f"u{100 * percent:g} or {percent:g}"
        )
    if not 0 <= percent <= 100:
        raise ValueError(
            f"u{percent:g} is not between u0 and u100: u(0.5) must lie in [0, 1], got "
            f"{percent / 100:g}"
        )
    return Quadratic(percent / 100)


def _by_number(u_half: float) -> Utility:
    if not 0 <= real_number(u_half, "u_half") <= 1:
        raise ValueError(
            f"{u_half:g} is not a utility: a number is u(0.5), what a half-right answer is worth, "
            "and lies between 0 and 1, such as 0.65 for u65"
        )
    return Quadratic(u_half)


_NUMBER = r"([-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)"
_FORMS: dict[str, Callable[[float], Utility]] = {
    rf"u{_NUMBER}": _by_percentage,
    rf"f{_NUMBER}": FBeta,
    rf"exp:{_NUMBER}": Exponential,
    rf"exp-norm:{_NUMBER}": lambda a: Exponential(a, normalized=True),
    rf"power:{_NUMBER}": Power,
    _NUMBER: _by_number,
}
_WORDS: dict[str, Utility] = {
    "linear": Linear(),
    "log": Logarithmic(),
    "log-norm": Logarithmic(normalized=True),
}
_CHOICES = (
    "choose u50, u65, u80 (any u<percent>), f1, f2 (any f<beta>), linear, log, log-norm, "
    "exp:<a>, exp-norm:<a>, power:<p>, a number for u(0.5), a function, or a .toml file"
)
_GIVEN = (Linear, Quadratic, FBeta, Logarithmic, Exponential, Power, Tabulated, HumanUtility)
_ELICITED = (ElicitedTable, ElicitedQuadratic, ElicitedExponential)
_KINDS: dict[str, type[Utility]] = {cls.kind: cls for cls in (*_GIVEN, *_ELICITED)}


def get_utility(spec: UtilityLike) -> Utility:
    """The utility that a name, a number, a function or a TOML file specifies.

    Parameters
    ----------
    spec : Utility, str, float, callable or path
        ``"u50"``, ``"u65"``, ``"u80"`` (any ``u`` and percentage), ``"f1"``, ``"f2"``,
        ``"linear"``, ``"log"``, ``"log-norm"``, ``"exp:2"``, ``"exp-norm:2"``, ``"power:0.5"``;
        a number is the u(0.5) of a quadratic utility; a function is used as it is; a path that
        ends in ``.toml`` is read.

    Examples
    --------
    >>> get_utility("u65") == get_utility(0.65) == Quadratic(0.65)
    True
    >>> get_utility("exp-norm:2")
    Exponential(a=2, normalized=True)
    """
    if isinstance(spec, Utility):
        return spec
    if isinstance(spec, str) and not spec.lower().endswith(".toml"):
        return _by_name(spec)
    if isinstance(spec, str | Path):
        return read_utility(spec)
    if isinstance(spec, Real) and not isinstance(spec, bool):
        return Quadratic(_as_float(spec))
    if callable(spec):
        return Custom(spec)
    raise ValueError(f"{brief(spec)} is not a utility: {_CHOICES}")


def _as_float(number: Real) -> float:
    """The number as a float; infinite if it is an integer or a fraction beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _by_name(name: str) -> Utility:
    text = name.strip().lower()
    if text in _WORDS:
        return _WORDS[text]
    for form, make in _FORMS.items():
        match = re.fullmatch(form, text)
        if match:
            return make(_finite(match[1], name))
    raise ValueError(f"there is no utility called {brief(name)}: {_CHOICES}")


def _finite(digits: str, name: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise ValueError(f"the number in the utility {brief(name)} is too large: {_CHOICES}")
    return number


def read_utility(path: str | Path) -> Utility:
    """Read a utility from a TOML file (the format is described in `get_utility`'s module)."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{in_one_line(str(path))}: there is no such file with a utility")
    try:
        found = utility_from_dict(parsed_toml(path.read_text(encoding="utf-8")))
        is_table = isinstance(found, Tabulated | HumanUtility)
        return found.named(path.stem) if is_table and not found.label else found
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not valid TOML ({error})") from None
    except RecursionError:
        raise ValueError(f"{path}: its tables or lists are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def write_utility(utility: UtilityLike, path: str | Path) -> None:
    """Write a utility to a TOML file, which `get_utility` can read."""
    lines = []
    for key, value in get_utility(utility).to_dict().items():
        shown = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
        lines.append(f"{key} = {shown}\n")
    with replacing(path) as draft:
        draft.write_text("".join(lines), encoding="utf-8")


def utility_from_dict(data: Mapping[str, Any]) -> Utility:
    """The utility that `Utility.to_dict` wrote."""
    kind = data.get("kind")
    cls = _KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ValueError(f"kind must be one of {', '.join(_KINDS)}, got {brief(kind)}")
    parameters = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    given = {key: value for key, value in data.items() if key not in ("kind", "name")}
    unknown = [key for key in given if key not in parameters]
    if unknown:
        has = ", ".join(parameters) or "none"
        raise ValueError(f"a {kind} utility has no parameter {brief(unknown[0])} (it has {has})")
    if not isinstance(given.get("label", ""), str):
        raise ValueError(f"the label of a utility must be a text, got {given['label']!r}")
    missing = [n for n, f in parameters.items() if f.default is MISSING and n not in given]
    if missing:
        raise ValueError(f"a {kind} utility needs {missing[0]}")
    try:
        utility = cls(**given)
    except (TypeError, OverflowError):
        raise ValueError(
            f"the parameters of a {kind} utility must be numbers, got {given}"
        ) from None
    return utility.named(_checked_name(data["name"], utility)) if "name" in data else utility


def _checked_name(name: Any, utility: Utility) -> str:
    """A name for a utility that is not the spelling of another one."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"the name of a utility must be a text, got {brief(name)}")
    try:
        known = _by_name(name)
    except ValueError:
        return name.strip()
    if known != utility:
        raise ValueError(f"{name!r} is the name of another utility: choose another name")
    return name.strip()
