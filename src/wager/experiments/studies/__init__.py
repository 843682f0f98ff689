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
    "zaffalon-2011-artificial": "_zaffalon_artificial",
    "zaffalon-2011-krkp": "_zaffalon_krkp",
    "zaffalon-bets": "_zaffalon_bets",
    "zaffalon-2012-nbc-ncc": "_zaffalon_nbc_ncc",
    "zaffalon-2012-credal": "_zaffalon_credal",
    "zaffalon-2012-ndc": "_zaffalon_ndc",
    "zaffalon-2012-ndc-size": "_zaffalon_ndc_size",
    "zaffalon-2012-rejection": "_zaffalon_rejection",
    "hope-korb-2004-artificial": "_hope_korb_artificial",
    "hope-korb-2004-uci": "_hope_korb_uci",
    "hope-korb-rewards": "_hope_korb_rewards",
    "hope-korb-metametric": "_hope_korb_metametric",
    "yang-2017-tables": "_yang_tables",
    "yang-2017-calibration": "_yang_calibration",
    "yang-2017-comparison": "_yang_comparison",
    "sondhauss-weihs-2001": "_sondhauss_weihs",
    "sondhauss-weihs-data": "_sondhauss_weihs_data",
    "conformal-vs-credal": "_conformal_vs_credal",
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
