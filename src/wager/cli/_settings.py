"""Parameters of learners from the command line: ``--set s=2``, ``--set estimator__prior=perks``.

A value is converted to the type that the learner's signature declares.  A learner inside another
one is named first, and its parameters follow after two underscores.
"""

from __future__ import annotations

from typing import Any

from wager._visible import brief


def read_settings(learner: str, settings: list[str]) -> dict[str, Any]:
    """The parameters of a learner, those of inner learners in nested dictionaries.

    Examples
    --------
    >>> read_settings("naive-credal", ["s=2", "reject=none"])
    {'s': 2.0, 'reject': None}
    >>> read_settings("rejecting", ["estimator=naive-bayes", "estimator__prior=perks"])
    {'estimator': {'learner': 'naive-bayes', 'params': {'prior': 'perks'}}}
    """
    from wager.learners import find_learner, is_learner_parameter

    find_learner(learner)  # refuses an unknown name
    own, inner = _split(settings)
    params: dict[str, Any] = {}
    for key, text in own.items():
        if is_learner_parameter(key):
            params[key] = {"learner": text, "params": read_settings(text, inner.pop(key, []))}
        else:
            params[key] = _typed(key, text, _annotation(learner, key))
    if inner:
        first = next(iter(inner))
        raise ValueError(
            f"--set {first}__{inner[first][0]} is a parameter of an inner learner: name that "
            f"learner first, as in --set {first}=naive-bayes"
        )
    return params


def _split(settings: list[str]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The learner's own parameters, and the settings of each inner learner."""
    own: dict[str, str] = {}
    inner: dict[str, list[str]] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--set takes name=value, got {brief(setting)}")
        first, below, rest = key.strip().partition("__")
        if below:
            inner.setdefault(first, []).append(f"{rest}={text}")
        else:
            own[first] = text.strip()
    return own, inner


def _annotation(learner: str, key: str) -> str:
    import inspect

    from wager.learners import find_learner

    parameter = inspect.signature(find_learner(learner)).parameters.get(key)
    if parameter is None or parameter.annotation is parameter.empty:
        return "Any"
    return str(parameter.annotation)


def _typed(key: str, text: str, annotation: str) -> Any:
    """The value of a text, converted to the type that the annotation names."""
    kinds = {kind.strip() for kind in annotation.split("|")}
    if "None" in kinds and text.lower() == "none":
        return None
    if "bool" in kinds and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind, read in (("int", int), ("float", float)):
        if kind in kinds:
            try:
                return read(text)
            except ValueError:
                continue
    if kinds <= {"int", "float", "bool", "None"}:
        wanted = "true or false" if kinds <= {"bool", "None"} else "a number"
        raise ValueError(f"{key} takes {wanted}, got {brief(text)}")
    return text if "str" in kinds and "Any" not in kinds else _literal(text)


def _literal(text: str) -> Any:
    """A number, truth value, list or table in TOML syntax; any other text as it is."""
    import tomllib

    from wager._toml import parsed_toml

    if text == "None":
        return None
    value = text.lower() if text in ("True", "False") else text
    try:
        return parsed_toml(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    except RecursionError:
        raise ValueError(f"the value {brief(text)} is nested too deeply") from None
