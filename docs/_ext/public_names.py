"""Every public name of the library: where it is documented, and its other names.

A name such as ``evaluate_sets`` can be imported from several packages.  It is documented once, in
the first package of ``PACKAGES`` that lists it.  References to any other of its names, to the
private module that defines it, or to the bare name lead there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import isclass, ismodule, isroutine
from typing import Any

PACKAGES = (
    *("metrics", "predictions", "rewards", "rewards.elicit", "costs", "credal", "partitions"),
    *("prepare", "learners", "compare", "plots", "experiments", "experiments.generators"),
    *("experiments.studies", "report"),
)
# Types of results: users need not import them, so they are not in ``__all__``.
RESULTS = {
    "rewards": (
        *("BetsUtility", "BrierSplit", "Decomposition", "Moments", "RandomVsVacuous"),
        *("ReliabilityBins", "SetScorer"),
    ),
    "compare": (
        *("Anova", "Effect", "IndeterminateGain", "LeastVariance", "MeanDifference", "Record"),
        "WinsTable",
    ),
    "learners": (
        *("AveragingExplanation", "CautionCurve", "ChainComparison", "CountExplanation"),
        *("DichotomyExplanation", "LeafExplanation", "RatioExplanation", "SetExplanation"),
        *("SmallestChange", "VoteExplanation"),
    ),
    "plots": ("SimplexPage",),
    "experiments": ("Repair", "TimeEstimate"),
}

_BACK = re.compile(r"(generated/(wager[\w.]*?)(?:-function)?\.html)#([\w.]+)")


def documented() -> dict[str, Any]:
    """The full names under which public objects are documented, and the objects."""
    return {places[0]: thing for thing, places in _places()}


def other_names(name: str) -> list[str]:
    """The other names under which a documented object can be imported."""
    return next((places[1:] for _, places in _places() if places[0] == name), [])


def aliases() -> dict[str, str]:
    """The other names of public objects, and the full name under which each is documented."""
    found = {other: places[0] for _, places in _places() for other in places[1:]}
    for name, thing in documented().items():
        if hasattr(thing, "__qualname__") and not ismodule(thing):
            found.setdefault(f"{thing.__module__}.{thing.__qualname__}", name)
    return {other: name for other, name in found.items() if other != name}


@cache
def _places() -> list[tuple[Any, list[str]]]:
    """Public objects and the full names under which they can be imported, the documented first."""
    found: dict[int, tuple[Any, list[str]]] = {}
    for package, name, thing in _listed():
        found.setdefault(id(thing), (thing, []))[1].append(f"{package}.{name}")
    return list(found.values())


def _listed() -> Iterator[tuple[str, str, Any]]:
    for package in (*PACKAGES, ""):
        module = import_module(f"wager.{package}".rstrip("."))
        for name in (*module.__all__, *RESULTS.get(package, ())):
            if name != "__version__":
                yield module.__name__, name, getattr(module, name)


def _short_names() -> dict[str, str]:
    """Bare names that mean one documented object only."""
    found: dict[str, list[str]] = {}
    for name in documented():
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return {short: names[0] for short, names in found.items() if len(names) == 1}


def setup(app: Any) -> dict[str, bool]:
    app.connect("config-inited", _link_types, priority=1)  # before numpydoc reads it
    app.connect("missing-reference", _find)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _result)
    app.connect("html-page-context", _lead_back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _lead_back(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Links from source code lead to the documented name, not to another name of the same thing."""
    if page.startswith("_modules/"):
        context["body"] = _BACK.sub(_documented_anchor, context["body"])


def _documented_anchor(link: re.Match[str]) -> str:
    file, name, anchor = link.groups()
    member = anchor.partition(f".{name.rpartition('.')[2]}")[2]
    return f"{file}#{name}{member}"


def _link_types(app: Any, config: Any) -> None:
    """Classes in the types of parameters become links; other words there stay as they are."""
    from numpydoc.xref import DEFAULT_LINKS

    things = documented()
    classes = {s: name for s, name in _short_names().items() if isclass(things[name])}
    config.numpydoc_xref_ignore = "all"
    config.numpydoc_xref_aliases = {**{word: word for word in DEFAULT_LINKS}, **classes}


def _find(app: Any, env: Any, node: Any, text: Any) -> Any:
    """Lead a reference to another name of a documented object, or of its member, to its page."""
    if node.get("refdomain") != "py":
        return None
    head, *members = _split(node["reftarget"])
    if head is None:
        return None
    target = ".".join((head, *members))
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, text)


def _split(target: str) -> tuple[str | None, ...]:
    """The documented name at the beginning of a reference, and the members after it."""
    known = {**_short_names(), **aliases()}
    parts = target.split(".")
    for n in range(len(parts), 0, -1):
        name = ".".join(parts[:n])
        if name in known:
            return known[name], *parts[n:]
    return (None,)


def _skip(app: Any, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what Python, scikit-learn and pydantic define, and the fields of named tuples."""
    thing = getattr(thing, "fget", None) or getattr(thing, "__func__", thing)
    owner = getattr(thing, "__objclass__", thing)
    is_foreign = isroutine(thing) and not (owner.__module__ or "").startswith("wager")
    return True if is_foreign or type(thing).__name__ == "_tuplegetter" else None


def _result(
    app: Any, what: str, name: str, thing: Any, options: Any, signature: str, returned: str
) -> tuple[str, str]:
    """Say in a signature what is returned; the types of parameters are listed below it."""
    annotation = getattr(thing, "__annotations__", {}).get("return")
    if what in ("function", "method") and isinstance(annotation, str):
        returned = annotation
    return signature, returned
