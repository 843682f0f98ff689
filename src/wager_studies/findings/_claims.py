"""Claims about conformal, credal and other sets, checked."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.compare import wilcoxon
from wager.experiments.study import Claim, listed, rank_correlation
from wager_studies.findings._guarantee import CoverageCheck
from wager_studies.findings._plan import ALPHAS
from wager_studies.findings._recommendations import Scores
from wager_studies.findings._utility_lines import UtilityLines, without_rounding

__all__ = ["claims"]

LEVEL = 0.05
# Methods around naive Bayes and their counterparts around the random forest.
COUNTERPARTS = {
    "BAG": "RF IDM",
    "NDC": "RF NDC",
    "LAC 10%": "RF LAC 10%",
    "LAC+ 10%": "RF LAC+ 10%",
    "APS 10%": "RF APS 10%",
    "REJ 65": "RF REJ 65",
}


def claims(
    scores: Scores, checks: dict[str, CoverageCheck], bayes: UtilityLines, forest: UtilityLines
) -> list[Claim]:
    """The claims, checked with our scores."""
    return [
        _coverage(checks),
        _smaller_sets(scores),
        _steady_coverage(scores),
        _credal_and_precise(scores),
        *(_maximized_utility(scores, utility) for utility in ("65", "80")),
        _rejection(scores),
        _risk_averse(bayes),
        _same_around_the_forest(bayes, forest),
    ]


def _coverage(checks: dict[str, CoverageCheck]) -> Claim:
    gaps = {name: 100 * (check.coverage.mean() - check.promised) for name, check in checks.items()}
    below = sum(check.n_below for check in checks.values())
    cells = sum(len(check.rows) for check in checks.values())
    least = min(gaps, key=lambda name: gaps[name])
    return Claim(
        "Vovk, Gammerman & Shafer (2005)",
        "conformal sets contain the true class as often as promised, whatever the classifier",
        all(gap > -1 for gap in gaps.values()) and below <= LEVEL * cells,
        f"mean coverage is {min(gaps.values()):+.1f} ({least}) to {max(gaps.values()):+.1f} "
        f"percentage points from the promise; significantly below it in {below} of {cells} cases, "
        f"where chance alone would give at most about {round(0.025 * cells)}",
    )


def _smaller_sets(scores: Scores) -> Claim:
    size = scores["mean_set_size"]
    levels = [f"{100 * a:g}%" for a in ALPHAS]
    pairs = {level: (size[f"LAC {level}"], size[f"APS {level}"]) for level in levels}
    return Claim(
        "Sadinle, Lei & Wasserman (2019)",
        "LAC gives smaller sets than APS at the same promised coverage",
        all(_ahead(aps, lac) for lac, aps in pairs.values()),
        "mean sizes of LAC and APS: "
        + ", ".join(
            f"{lac.mean():.2f} and {aps.mean():.2f} ({level}, LAC smaller on "
            f"{int((lac < aps - 1e-12).sum())} of {len(lac)})"
            for level, (lac, aps) in pairs.items()
        )
        + "; significantly smaller at every level by Wilcoxon's test"
        * all(_ahead(aps, lac) for lac, aps in pairs.values()),
    )


def _steady_coverage(scores: Scores) -> Claim:
    """Whether credal sets, which promise no coverage, still have a steady coverage."""
    coverage = {name: 100 * scores["coverage"][name] for name in ("NCC", "CDT", "APS 10%")}
    spread = {name: float(values.std(ddof=1)) for name, values in coverage.items()}
    return Claim(
        "our question",
        "the coverage of credal sets is as steady as that of conformal sets",
        max(spread["NCC"], spread["CDT"]) <= spread["APS 10%"],
        "coverage over the data sets: "
        + ", ".join(
            f"{name} {values.min():.0f} to {values.max():.0f} (standard deviation "
            f"{spread[name]:.1f})"
            for name, values in coverage.items()
        ),
    )


def _credal_and_precise(scores: Scores) -> Claim:
    test = {u: _test(scores[u]["NCC"], scores[u]["NBC"]) for u in ("u50", "u65", "u80")}
    return Claim(
        "Zaffalon, Corani & Mauá (2012), 9.1.3",
        "NBC earns more than NCC under u50, and they do not differ significantly under u65 and u80",
        test["u50"][0] < 0
        and test["u50"][1] < LEVEL
        and min(test[u][1] for u in ("u65", "u80")) >= LEVEL,
        "NCC minus NBC, median in percentage points and Wilcoxon's p: "
        + ", ".join(f"{u} {100 * gap:+.2f} ({p:.2g})" for u, (gap, p) in test.items()),
    )


def _maximized_utility(scores: Scores, level: str) -> Claim:
    """Whether a set that maximizes a utility earns most under it."""
    utility, made = scores[f"u{level}"], f"BEST {level}"
    others = [name for name in utility if not name.startswith(("RF", "CDT")) and name != made]
    beaten = [name for name in others if _ahead(utility[made], utility[name])]
    ahead = [name for name in others if _ahead(utility[name], utility[made])]
    return Claim(
        "decision theory",
        f"the set of greatest expected u{level} under naive Bayes earns most u{level} of all sets "
        "around naive Bayes",
        not ahead and len(beaten) > len(others) / 2,
        f"{made} is significantly ahead of {len(beaten)} of {len(others)} others by Wilcoxon's "
        f"test, significantly behind: {listed(ahead)}",
    )


def _rejection(scores: Scores) -> Claim:
    gaps = {
        level: scores[f"u{level}"][f"BEST {level}"] - scores[f"u{level}"][f"REJ {level}"]
        for level in ("65", "80")
    }
    return Claim(
        "Zaffalon, Corani & Mauá (2012), 9.4",
        "returning some of the classes earns more than returning all of them when in doubt",
        all(_ahead(gap, 0 * gap) for gap in gaps.values()),
        "BEST minus REJ in percentage points: "
        + ", ".join(
            f"u{level} {100 * gap.mean():+.2f} ({int((gap > 1e-12).sum())} data sets won, "
            f"{int((gap < -1e-12).sum())} lost, the others equal)"
            for level, gap in gaps.items()
        ),
    )


def _risk_averse(bayes: UtilityLines) -> Claim:
    late = {name: bayes.gain(name, "NBC", 0.8) for name in bayes.names if name != "NBC"}
    above = [name for name, gain in late.items() if gain > 0]
    behind = listed(name for name in late if name not in above)
    return Claim(
        "our question",
        "under u80 (risk aversion) every kind of set earns more than naive Bayes",
        len(above) == len(late),
        f"on average {len(above)} of {len(late)} do; these do not: {behind}",
    )


def _same_around_the_forest(bayes: UtilityLines, forest: UtilityLines) -> Claim:
    gains = {
        q: [
            [lines.gain(name, plain, q) for name in names]
            for lines, plain, names in (
                (bayes, "NBC", list(COUNTERPARTS)), (forest, "RF", list(COUNTERPARTS.values())),
            )
        ]
        for q in (0.65, 0.8)
    }  # fmt: skip
    correlation = {q: rank_correlation(*pair) for q, pair in gains.items()}
    return Claim(
        "our question",
        "the sets that gain around naive Bayes also gain around a random forest",
        all(value > 0.7 for value in correlation.values()),
        f"rank correlation of the gains of {len(COUNTERPARTS)} kinds of sets: "
        + ", ".join(f"{value:.2f} (u{100 * q:.0f})" for q, value in correlation.items()),
    )


def _test(a: Floats, b: Floats) -> tuple[float, float]:
    gaps = without_rounding(a - b)
    return float(np.median(gaps)), wilcoxon(gaps, 0 * gaps).p


def _ahead(a: Floats, b: Floats) -> bool:
    gaps = without_rounding(a - b)
    found = wilcoxon(gaps, 0 * gaps)
    return bool(found.p < LEVEL and found.details["w_plus"] > found.details["w_minus"])
