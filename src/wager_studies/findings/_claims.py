"""What is said of conformal, credal and other sets, checked."""

from __future__ import annotations

import numpy as np

from wager._typing import Floats
from wager.compare import wilcoxon
from wager.experiments.study import Claim, listed, rank_correlation
from wager_studies.findings._guarantee import Kept
from wager_studies.findings._lines import UtilityLines, snapped
from wager_studies.findings._plan import ALPHAS
from wager_studies.findings._words import Scores

__all__ = ["claims"]

LEVEL = 0.05
# What stands for what in the two families.
TWINS = {"BAG": "RF IDM", "NDC": "RF NDC", "LAC 10%": "RF LAC 10%", "LAC+ 10%": "RF LAC+ 10%",
         "APS 10%": "RF APS 10%", "REJ 65": "RF REJ 65"}  # fmt: skip


def claims(
    scores: Scores, kept: dict[str, Kept], bayes: UtilityLines, forest: UtilityLines
) -> list[Claim]:
    """What is said of such sets, checked."""
    return [
        _coverage(kept),
        _smallest(scores),
        _steady(scores),
        _cautious(scores),
        *(_own_utility(scores, utility) for utility in ("65", "80")),
        _rejection(scores),
        _everyone(bayes),
        _same_in_the_forest(bayes, forest),
    ]


def _coverage(kept: dict[str, Kept]) -> Claim:
    gaps = {name: 100 * (k.coverage.mean() - k.promised) for name, k in kept.items()}
    short, cells = sum(k.short for k in kept.values()), sum(len(k.rows) for k in kept.values())
    least = min(gaps, key=lambda name: gaps[name])
    return Claim(
        "Vovk, Gammerman & Shafer (2005)",
        "conformal sets hold the true class as often as promised, whatever the classifier",
        all(gap > -1 for gap in gaps.values()) and short <= LEVEL * cells,
        f"mean coverage is {min(gaps.values()):+.1f} ({least}) to {max(gaps.values()):+.1f} points "
        f"from the promise; surely below it in {short} of {cells} cases, where chance alone would "
        f"give at most about {round(0.025 * cells)}",
    )


def _smallest(scores: Scores) -> Claim:
    size = scores["mean_set_size"]
    levels = [f"{100 * a:g}%" for a in ALPHAS]
    pairs = {level: (size[f"LAC {level}"], size[f"APS {level}"]) for level in levels}
    return Claim(
        "Sadinle, Lei & Wasserman (2019)",
        "LAC gives smaller sets than APS for the same promise",
        all(_ahead(aps, lac) for lac, aps in pairs.values()),
        "mean sizes of LAC and APS: "
        + ", ".join(
            f"{lac.mean():.2f} and {aps.mean():.2f} ({level}, LAC smaller on "
            f"{int((lac < aps - 1e-12).sum())} of {len(lac)})"
            for level, (lac, aps) in pairs.items()
        )
        + "; by Wilcoxon's test smaller at every level"
        * all(_ahead(aps, lac) for lac, aps in pairs.values()),
    )


def _steady(scores: Scores) -> Claim:
    """A credal set promises no coverage; whether it has a level of its own all the same."""
    coverage = {name: 100 * scores["coverage"][name] for name in ("NCC", "CDT", "APS 10%")}
    spread = {name: float(values.std(ddof=1)) for name, values in coverage.items()}
    return Claim(
        "asked",
        "credal sets cover at a level of their own, as steady as that of conformal sets",
        max(spread["NCC"], spread["CDT"]) <= spread["APS 10%"],
        "coverage over the data sets: "
        + ", ".join(
            f"{name} {values.min():.0f} to {values.max():.0f} (standard deviation "
            f"{spread[name]:.1f})"
            for name, values in coverage.items()
        ),
    )


def _cautious(scores: Scores) -> Claim:
    test = {u: _test(scores[u]["NCC"], scores[u]["NBC"]) for u in ("u50", "u65", "u80")}
    return Claim(
        "Zaffalon, Corani & Mauá (2012), 9.1.3",
        "NBC earns more than NCC under u50, under u65 and u80 the two do not differ",
        test["u50"][0] < 0
        and test["u50"][1] < LEVEL
        and min(test[u][1] for u in ("u65", "u80")) >= LEVEL,
        "NCC minus NBC, median in points and Wilcoxon's p: "
        + ", ".join(f"{u} {100 * gap:+.2f} ({p:.2g})" for u, (gap, p) in test.items()),
    )


def _own_utility(scores: Scores, level: str) -> Claim:
    """Whether a set made for a utility earns most under it."""
    utility, made = scores[f"u{level}"], f"BEST {level}"
    others = [name for name in utility if not name.startswith(("RF", "CDT")) and name != made]
    beaten = [name for name in others if _ahead(utility[made], utility[name])]
    ahead = [name for name in others if _ahead(utility[name], utility[made])]
    return Claim(
        "decision theory",
        f"the set that promises most u{level} under naive Bayes earns most u{level} of all sets "
        "around it",
        not ahead and len(beaten) > len(others) / 2,
        f"{made} is ahead of {len(beaten)} of {len(others)} others by Wilcoxon's test, behind "
        f"{listed(ahead)}",
    )


def _rejection(scores: Scores) -> Claim:
    gaps = {
        level: scores[f"u{level}"][f"BEST {level}"] - scores[f"u{level}"][f"REJ {level}"]
        for level in ("65", "80")
    }
    return Claim(
        "Zaffalon, Corani & Mauá (2012), 9.4",
        "naming some of the classes earns more than naming all of them when in doubt",
        all(_ahead(gap, 0 * gap) for gap in gaps.values()),
        "BEST minus REJ in points: "
        + ", ".join(
            f"u{level} {100 * gap.mean():+.2f} ({int((gap > 1e-12).sum())} data sets won, "
            f"{int((gap < -1e-12).sum())} lost, the others equal)"
            for level, gap in gaps.items()
        ),
    )


def _everyone(bayes: UtilityLines) -> Claim:
    late = {name: bayes.gain(name, "NBC", 0.8) for name in bayes.names if name != "NBC"}
    above = [name for name, gain in late.items() if gain > 0]
    behind = listed(name for name in late if name not in above)
    return Claim(
        "asked",
        "for the risk averse (u80) every kind of set earns more than naive Bayes",
        len(above) == len(late),
        f"on average {len(above)} of {len(late)} do; not: {behind}",
    )


def _same_in_the_forest(bayes: UtilityLines, forest: UtilityLines) -> Claim:
    gains = {
        q: [
            [lines.gain(name, plain, q) for name in names]
            for lines, plain, names in (
                (bayes, "NBC", list(TWINS)), (forest, "RF", list(TWINS.values())),
            )
        ]
        for q in (0.65, 0.8)
    }  # fmt: skip
    correlation = {q: rank_correlation(*pair) for q, pair in gains.items()}
    return Claim(
        "asked",
        "what pays around naive Bayes pays around a random forest",
        all(value > 0.7 for value in correlation.values()),
        f"rank correlation of the gains of {len(TWINS)} kinds of sets: "
        + ", ".join(f"{value:.2f} (u{100 * q:.0f})" for q, value in correlation.items()),
    )


def _test(a: Floats, b: Floats) -> tuple[float, float]:
    gaps = snapped(a - b)
    return float(np.median(gaps)), wilcoxon(gaps, 0 * gaps).p


def _ahead(a: Floats, b: Floats) -> bool:
    gaps = snapped(a - b)
    found = wilcoxon(gaps, 0 * gaps)
    return bool(found.p < LEVEL and found.details["w_plus"] > found.details["w_minus"])
