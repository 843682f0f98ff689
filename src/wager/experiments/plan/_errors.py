"""Error messages for plans: one sentence per problem, naming the key in the file."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

__all__ = ["messages"]


def messages(
    problem: ValidationError, document: Any, known_keys: Collection[str], where: str = ""
) -> str:
    """Every problem that pydantic found, one per line.

    Parameters
    ----------
    problem : ValidationError
    document : dict
        The data that was validated.
    known_keys : collection of str
        Keys to suggest when one is misspelt.
    where : str, optional
        The key of the document inside the plan, when it is only a part of the plan.
    """
    return "\n".join(_message(error, document, known_keys, where) for error in problem.errors())


def _message(error: Any, document: Any, known_keys: Collection[str], where: str) -> str:
    key = ".".join([*filter(None, [where]), *_path(error["loc"], document)]) or "the plan"
    kind, context, given = error["type"], error.get("ctx", {}), error["input"]
    if kind == "missing":
        return f"{key} is missing"
    if kind == "extra_forbidden":
        return f"{key} is not a key of a plan{_suggestion(error['loc'][-1], known_keys)}"
    if kind == "literal_error":
        return f"{key} must be {context['expected']}, got {given!r}"
    if kind == "union_tag_invalid":
        return f"{key}.kind must be one of {context['expected_tags']}, got {context['tag']!r}"
    if kind in _BOUNDS:
        limit = next(iter(context.values()))
        return f"{key} must be {_BOUNDS[kind]} {limit}, got {given!r}"
    if kind == "too_short":
        return f"{key} must have at least one entry, got none"
    if kind == "value_error":
        return f"{key} {context['error']}".strip() + (f", got {given!r}" if _plain(given) else "")
    if kind.endswith("_type") or kind.endswith("_parsing"):
        wanted = _KINDS.get(kind.rpartition("_")[0], kind.rpartition("_")[0])
        return f"{key} must be {wanted}, got {given!r}"
    return f"{key}: {error['msg'][0].lower()}{error['msg'][1:]}, got {given!r}"


_BOUNDS = {
    "greater_than": "greater than",
    "greater_than_equal": "at least",
    "less_than": "less than",
    "less_than_equal": "at most",
}
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "string": "text",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "a table",
    "model": "a table",
    "model_attributes": "a table",
}


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _path(places: tuple[Any, ...], document: Any) -> list[str]:
    """The key as it appears in the file, without the alternatives that pydantic tried."""
    path = []
    for depth, place in enumerate(places):
        inside = isinstance(document, dict) and place in document
        inside |= isinstance(document, list | tuple) and isinstance(place, int)
        if inside:
            document = document[place]
        if inside or depth == len(places) - 1:
            path.append(str(place))
    return path


def _suggestion(key: Any, known_keys: Collection[str]) -> str:
    near = get_close_matches(str(key), known_keys, n=1)
    return f": did you mean {near[0]}?" if near else ""
