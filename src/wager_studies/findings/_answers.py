"""Questions about conformal, credal and other sets, answered from the scores."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.compare import wilcoxon
from wager.experiments.study import Finding, listed, rank_correlation
from wager_studies.findings._guarantee import CoverageCheck
from wager_studies.findings._plan import ALPHAS
from wager_studies.findings._recommendations import Scores
from wager_studies.findings._utility_lines import UtilityLines, without_rounding

__all__ = ["answers"]

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


def answers(
    scores: Scores, checks: dict[str, CoverageCheck], bayes: UtilityLines, forest: UtilityLines
) -> list[Finding]:
    """The answers that our scores give."""
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


def _coverage(checks: dict[str, CoverageCheck]) -> Finding:
    gaps = {name: 100 * (check.coverage.mean() - check.promised) for name, check in checks.items()}
    below = sum(check.n_below for check in checks.values())
    cells = sum(len(check.rows) for check in checks.values())
    least = min(gaps, key=lambda name: gaps[name])
    kept = all(gap > -1 for gap in gaps.values()) and below <= LEVEL * cells
    return Finding(
        "Do conformal sets contain the true class as often as promised (Vovk, Gammerman & Shafer, "
        "2005)?",
        "yes" if kept else "no",
        f"mean coverage is {min(gaps.values()):+.1f} ({least}) to {max(gaps.values()):+.1f} "
        f"percentage points from the promise; significantly below it in {below} of {cells} cases, "
        f"where chance alone would give at most about {round(0.025 * cells)}",
    )


def _smaller_sets(scores: Scores) -> Finding:
    size = scores["mean_set_size"]
    levels = [f"{100 * a:g}%" for a in ALPHAS]
    pairs = {level: (size[f"LAC {level}"], size[f"APS {level}"]) for level in levels}
    ahead = [level for level, (lac, aps) in pairs.items() if _ahead(aps, lac)]
    return Finding(
        "Does LAC give smaller sets than APS at the same promised coverage (Sadinle, Lei & "
        "Wasserman, 2019)?",
        "yes" if len(ahead) == len(pairs) else f"significantly at {listed(ahead)}",
        "mean sizes of LAC and APS: "
        + ", ".join(
            f"{lac.mean():.2f} and {aps.mean():.2f} ({level}, LAC smaller on "
            f"{int((lac < aps - 1e-12).sum())} of {len(lac)}, p = {_test(lac, aps)[1]:.2g})"
            for level, (lac, aps) in pairs.items()
        ),
    )


def _steady_coverage(scores: Scores) -> Finding:
    """Whether credal sets, which promise no coverage, still have a steady coverage."""
    coverage = {name: 100 * scores["coverage"][name] for name in ("NCC", "CDT", "APS 10%")}
    spread = {name: float(values.std(ddof=1)) for name, values in coverage.items()}
    steady = [name for name in ("NCC", "CDT") if spread[name] <= spread["APS 10%"]]
    return Finding(
        "Is the coverage of credal sets as steady as that of conformal sets?",
        {0: "no", 2: "yes"}.get(len(steady), f"only that of {listed(steady)}"),
        "coverage over the data sets: "
        + ", ".join(
            f"{name} {values.min():.0f} to {values.max():.0f} (standard deviation "
            f"{spread[name]:.1f})"
            for name, values in coverage.items()
        ),
    )


def _credal_and_precise(scores: Scores) -> Finding:
    test = {u: _test(scores[u]["NCC"], scores[u]["NBC"]) for u in ("u50", "u65", "u80")}

    def word(gap: float, p: float) -> str:
        return "no significant difference" if p >= LEVEL else ("more" if gap > 0 else "less")

    return Finding(
        "Does NCC earn more than NBC, as in Zaffalon, Corani & Mauá (2012, 9.1.3), on these folds?",
        "; ".join(f"{u}: {word(*found)}" for u, found in test.items()),
        "NCC minus NBC, median in percentage points and Wilcoxon's p: "
        + ", ".join(f"{u} {100 * gap:+.2f} ({p:.2g})" for u, (gap, p) in test.items()),
    )


def _maximized_utility(scores: Scores, level: str) -> Finding:
    """Whether a set that maximizes a utility earns most under it."""
    utility, made = scores[f"u{level}"], f"BEST {level}"
    others = [name for name in utility if not name.startswith(("RF", "CDT")) and name != made]
    beaten = [name for name in others if _ahead(utility[made], utility[name])]
    ahead = [name for name in others if _ahead(utility[name], utility[made])]
    most = not ahead and len(beaten) > len(others) / 2
    return Finding(
        f"Does the set of greatest expected u{level} under naive Bayes earn most u{level} of all "
        "sets around naive Bayes?",
        "yes" if most else "no",
        f"{made} is significantly ahead of {len(beaten)} of {len(others)} others by Wilcoxon's "
        f"test, significantly behind: {listed(ahead)}",
    )


def _rejection(scores: Scores) -> Finding:
    gaps = {
        level: scores[f"u{level}"][f"BEST {level}"] - scores[f"u{level}"][f"REJ {level}"]
        for level in ("65", "80")
    }
    ahead = [f"u{level}" for level, gap in gaps.items() if _ahead(gap, 0 * gap)]
    return Finding(
        "Does it pay to return some of the classes instead of all of them when in doubt?",
        "yes" if len(ahead) == len(gaps) else f"significantly under {listed(ahead)}",
        "BEST minus REJ in percentage points: "
        + ", ".join(
            f"u{level} {100 * gap.mean():+.2f} ({int((gap > 1e-12).sum())} data sets won, "
            f"{int((gap < -1e-12).sum())} lost, the others equal, p = {_test(gap, 0 * gap)[1]:.2g})"
            for level, gap in gaps.items()
        ),
    )


def _risk_averse(bayes: UtilityLines) -> Finding:
    late = {name: bayes.gain(name, "NBC", 0.8) for name in bayes.names if name != "NBC"}
    above = [name for name, gain in late.items() if gain > 0]
    behind = listed(name for name in late if name not in above)
    return Finding(
        "Does every kind of set earn more than naive Bayes under u80 (risk aversion)?",
        "yes" if len(above) == len(late) else "no",
        f"on average {len(above)} of {len(late)} do; these do not: {behind}",
    )


def _same_around_the_forest(bayes: UtilityLines, forest: UtilityLines) -> Finding:
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
    strong = [value > 0.7 for value in correlation.values()]
    return Finding(
        "Do the sets that gain around naive Bayes also gain around a random forest?",
        "yes" if all(strong) else "in part" if any(strong) else "no",
        f"rank correlation of the gains of {len(COUNTERPARTS)} kinds of sets: "
        + ", ".join(f"{value:.2f} (u{100 * q:.0f})" for q, value in correlation.items())
        + "; six kinds are too few for a test, 'yes' means above 0.7",
    )


def _test(a: Floats, b: Floats) -> tuple[float, float]:
    gaps = without_rounding(a - b)
    return float(np.median(gaps)), wilcoxon(gaps, 0 * gaps).p


def _ahead(a: Floats, b: Floats) -> bool:
    gaps = without_rounding(a - b)
    found = wilcoxon(gaps, 0 * gaps)
    return bool(found.p < LEVEL and found.details["w_plus"] > found.details["w_minus"])
