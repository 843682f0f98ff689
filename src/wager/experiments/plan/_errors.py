"""What is wrong with a plan, in one sentence for each problem, pointing at its key."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

__all__ = ["in_words"]


def in_words(problem: ValidationError, document: Any, where: str = "") -> str:
    """Every problem that pydantic found, a line each; ``where`` a document stands in a plan."""
    return "\n".join(_sentence(error, document, where) for error in problem.errors())


def _sentence(error: Any, document: Any, where: str) -> str:
    key = ".".join([*filter(None, [where]), *_path(error["loc"], document)]) or "the plan"
    kind, context, given = error["type"], error.get("ctx", {}), error["input"]
    if kind == "missing":
        return f"{key} is missing"
    if kind == "extra_forbidden":
        return f"{key} is no key of a plan{_nearest(error['loc'][-1])}"
    if kind == "literal_error":
        return f"{key} must be {context['expected']}, got {given!r}"
    if kind == "union_tag_invalid":
        return f"{key}.kind must be one of {context['expected_tags']}, got {context['tag']!r}"
    if kind in _BOUNDS:
        limit = next(iter(context.values()))
        return f"{key} must be {_BOUNDS[kind]} {limit}, got {given!r}"
    if kind == "too_short":
        return f"{key} must name at least one, got none"
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
    """The key as the file has it: names of alternatives that pydantic tried are left out."""
    path = []
    for depth, place in enumerate(places):
        inside = isinstance(document, dict) and place in document
        inside |= isinstance(document, list | tuple) and isinstance(place, int)
        if inside:
            document = document[place]
        if inside or depth == len(places) - 1:
            path.append(str(place))
    return path


def _nearest(key: Any) -> str:
    from wager.experiments.plan import _plan, _prepare, _schemes

    models: list[type[BaseModel]] = [
        _plan.Plan,
        _plan.DataSpec,
        _plan.LearnerSpec,
        _prepare.Preparation,
    ]
    models += [_schemes.CrossValidation, _schemes.Downsample, _schemes.Generate, _schemes.Holdout]
    known = {name for model in models for name in model.model_fields}
    near = get_close_matches(str(key), known, n=1)
    return f": did you mean {near[0]}?" if near else ""
