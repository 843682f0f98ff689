"""The papers' experiments, each a study that can be rerun by name.

>>> from wager.experiments import studies
>>> studies.get("zaffalon-2012-credal").paper
'Zaffalon, Corani & Mauá (2012), Section 9.2'
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from wager.experiments.studies._report import Claim, Comparison, StudyReport, StudyTable
from wager.experiments.studies._study import Study

__all__ = ["Claim", "Comparison", "Study", "StudyReport", "StudyTable", "get", "names"]

# The module of each study; it holds the study as STUDY.
_HOMES = {
    "zaffalon-2011-artificial": "zaffalon._artificial",
    "zaffalon-2011-krkp": "zaffalon._krkp",
    "zaffalon-bets": "zaffalon._bets",
    "zaffalon-2012-nbc-ncc": "zaffalon._nbc_ncc",
    "zaffalon-2012-credal": "zaffalon._credal",
    "zaffalon-2012-ndc": "zaffalon._ndc",
    "zaffalon-2012-ndc-size": "zaffalon._ndc_size",
    "zaffalon-2012-rejection": "zaffalon._rejection",
    "hope-korb-2004-artificial": "hope_korb._artificial",
    "hope-korb-2004-uci": "hope_korb._uci",
    "hope-korb-rewards": "hope_korb._rewards",
    "hope-korb-metametric": "hope_korb._metametric",
    "yang-2017-tables": "yang._tables",
    "yang-2017-calibration": "yang._calibration",
    "yang-2017-comparison": "yang._comparison",
    "sondhauss-weihs-2001": "sondhauss_weihs._example",
    "sondhauss-weihs-data": "sondhauss_weihs._data",
    "conformal-vs-credal": "conformal._comparison",
}


def names() -> tuple[str, ...]:
    """The names of all studies."""
    return tuple(_HOMES)


def get(name: str) -> Study:
    """The study of that name.

    Examples
    --------
    >>> get("zaffalon-2012-credal").name
    'zaffalon-2012-credal'
    """
    if name not in _HOMES:
        near = get_close_matches(name, _HOMES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(_HOMES)}"
        raise ValueError(f"there is no study {name!r}: {hint}")
    return import_module(f"wager.experiments.studies.{_HOMES[name]}").STUDY
