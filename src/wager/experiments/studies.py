"""The registry of studies: experiments of papers that can be rerun by name.

A package offers studies through an entry point of the group ``wager.studies``: a mapping from the
name of each study to the module that defines it as ``STUDY``.  The package ``wager_studies``, which
is part of this distribution, offers the experiments of the papers.

>>> from wager.experiments import studies
>>> studies.get("zaffalon-2012-credal").paper
'Zaffalon, Corani & Mauá (2012), Section 9.2'
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from wager._visible import brief
from wager.experiments.study import (
    Claim,
    Comparison,
    Finding,
    Study,
    StudyReport,
    StudyTable,
    Verdict,
)

__all__ = [
    "Claim",
    "Comparison",
    "Finding",
    "Study",
    "StudyReport",
    "StudyTable",
    "Verdict",
    "get",
    "names",
]

GROUP = "wager.studies"


@cache
def _modules() -> dict[str, str]:
    """The module of every study that an installed package offers."""
    return {
        name: module for entry in entry_points(group=GROUP) for name, module in entry.load().items()
    }


def names() -> tuple[str, ...]:
    """The names of all studies."""
    return tuple(_modules())


def get(name: str) -> Study:
    """The study of that name.

    Examples
    --------
    >>> get("zaffalon-2012-credal").name
    'zaffalon-2012-credal'
    """
    known = _modules()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        listed = f"choose one of {', '.join(known)}" if known else "no studies are installed"
        hint = f"did you mean {near[0]!r}?" if near else listed
        raise ValueError(f"there is no study {brief(name)}: {hint}")
    found: Study = import_module(known[name]).STUDY
    return found
