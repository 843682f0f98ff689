"""Error messages for plans: one sentence per problem, naming the key in the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import ValidationError

from wager._visible import brief
from wager.experiments.plan._schemes import SCHEMES

__all__ = ["list_faults", "messages", "without_faults"]

Keys = Mapping[str, Collection[str]]  # the keys that each part of a plan has

SHOWN = 10  # faults of one plan
_NAMES = {
    "": "a plan",
    "datasets": "a data set",
    "learners": "a learner",
    "scheme": "a scheme",
    "prepare": "prepare",
}
_ALSO_CALLED = {  # words that users try, by part
    "": {"metrics": "measures", "dataset": "datasets", "folder": "data", "classifiers": "learners"},
    "datasets": {"path": "source", "file": "source", "data": "source", "class": "target"},
    "learners": {"class": "learner", "estimator": "learner", "parameters": "params"},
    "scheme": {"k": "n_folds", "cv": "n_folds", "runs": "repeats"},
    "prepare": {"bins": "n_bins", "impute_in": "impute"},
}


def list_faults(faults: Sequence[str]) -> str:
    """The faults of a plan, one per line; those beyond the first ten are only counted."""
    more = [f"and {len(faults) - SHOWN} more faults"] if len(faults) > SHOWN else []
    return "\n".join([*faults[:SHOWN], *more])


def messages(problem: ValidationError, document: Any, keys: Keys, where: str = "") -> list[str]:
    """Every problem that pydantic found, one sentence each.

    Parameters
    ----------
    problem : ValidationError
    document : dict
        The data that was validated.
    keys : mapping
        The keys of each part of a plan, to suggest one when a key is misspelt; the part ``""`` is
        the plan itself.
    where : str, optional
        The key of the document inside the plan, when it is only a part of the plan.
    """
    return [
        _message(error, document, keys, where)
        for error in problem.errors()
        if not (error["type"] == "too_short" and error["input"])  # its entries are wrong, not few
    ]


def without_faults(problem: ValidationError, document: dict[str, Any]) -> dict[str, Any] | None:
    """The document without what pydantic refused, to look for further faults; None if too little.

    A data set or learner with a fault is left out, and so is any other key of the plan.
    """
    rest = dict(document)
    wrong: dict[str, set[Any]] = {"datasets": set(), "learners": set()}
    for error in problem.errors():
        part, *inside = error["loc"]
        if inside and part in wrong:
            wrong[str(part)].add(inside[0])
        else:
            rest.pop(str(part), None)
    for part, places in wrong.items():
        rest[part] = _entries_without(rest.get(part), places)
    return rest if rest["datasets"] and rest["learners"] else None


def _entries_without(entries: Any, places: set[Any]) -> Any:
    """The data sets or learners without those with these names or numbers."""
    if isinstance(entries, dict):
        named = enumerate(entries.items())
        return {key: e for i, (key, e) in named if key not in places and i not in places}
    if isinstance(entries, list | tuple):
        return [entry for i, entry in enumerate(entries) if i not in places]
    return None if places else entries


def _message(error: Any, document: Any, keys: Keys, where: str) -> str:
    key = ".".join([*filter(None, [where]), *_path(error["loc"], document)]) or "the plan"
    kind, context, given = error["type"], error.get("ctx", {}), error["input"]
    if kind == "missing":
        return f"{key} is missing"
    if kind == "extra_forbidden":
        part = _part_of(where or str(error["loc"][0])) if where or len(error["loc"]) > 1 else ""
        if error["loc"][-1] in keys[part]:
            return f"{key} is a key of {_schemes_with(error['loc'][-1])}, not of {error['loc'][-2]}"
        return f"{key} is not a key of {_NAMES[part]}{_suggestion(error['loc'][-1], part, keys)}"
    if kind == "literal_error":
        return f"{key} must be {context['expected']}, got {brief(given)}"
    if kind == "union_tag_invalid":
        return f"{key}.kind must be one of {context['expected_tags']}, got {context['tag']!r}"
    if kind in _BOUNDS:
        limit = next(iter(context.values()))
        shown = f"{limit:,.0f}" if limit == int(limit) else f"{limit:g}"
        return f"{key} must be {_BOUNDS[kind]} {shown}, got {brief(given)}"
    if kind == "too_short":
        return f"{key} must have at least one entry, got none"
    if kind == "value_error":
        return f"{key} {context['error']}".strip() + (
            f", got {brief(given)}" if _plain(given) else ""
        )
    if kind.endswith("_type") or kind.endswith("_parsing"):
        wanted = _KINDS.get(kind.rpartition("_")[0], kind.rpartition("_")[0])
        return f"{key} must be {wanted}, got {brief(given)}"
    return f"{key}: {error['msg'][0].lower()}{error['msg'][1:]}, got {brief(given)}"


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
        if isinstance(document, dict) and isinstance(place, int):  # data sets as a table of tables
            place = _names_of_tables(document)[place] if _names_of_tables(document) else place
        inside = isinstance(document, dict) and place in document
        inside |= isinstance(document, list | tuple) and isinstance(place, int)
        if inside:
            document = document[place]
        if inside or depth == len(places) - 1:
            path.append(str(place))
    return path


def _names_of_tables(document: dict[str, Any]) -> list[str]:
    return list(document) if all(isinstance(each, dict) for each in document.values()) else []


def _part_of(where: str) -> str:
    """The part of a plan that a place is in: prepare for datasets.0.prepare."""
    last = where.rpartition(".")[2]
    first = where.partition(".")[0]
    return last if last in _NAMES else first if first in _NAMES else ""


def _suggestion(key: Any, part: str, keys: Keys) -> str:
    """How the key should be written, or where it belongs."""
    word, known = str(key), keys[part]
    own = _ALSO_CALLED[part].get(word) or next(iter(_near(word, known)), None)
    if own is not None and own in known:
        return f": did you mean {own}?"
    for other in (name for name in keys if name != part):
        if word in keys[other]:
            return f": it belongs to {other or 'the plan itself, above all tables'}" + (
                f", as {other}.{word}" if other in ("scheme", "prepare") else ""
            )
    for other in ("scheme", "prepare"):
        if part != other and (near := _near(word, keys[other])):
            return f": did you mean {other}.{near[0]}?"
    return f": it has {', '.join(sorted(known))}"


def _schemes_with(key: str) -> str:
    """The kinds of schemes that have a key."""
    kinds = [
        get_args(scheme.model_fields["kind"].annotation)[0]
        for scheme in SCHEMES
        if key in scheme.model_fields
    ]
    return " and ".join(kinds)


def _near(word: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(word, [each for each in known if each != word], n=1)
