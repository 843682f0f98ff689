"""What the comparison of sets says in words: for whom each is better, and what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from wager._typing import Floats
from wager.compare import wilcoxon
from wager.experiments.studies._conformal_guarantee import Kept
from wager.experiments.studies._conformal_plan import ALPHAS
from wager.experiments.studies._lines import HIGH, LOW, UtilityLines
from wager.experiments.studies._report import Claim, StudyTable, rank_correlation

__all__ = ["best_table", "claims", "for_whom", "in_short", "surely_better"]

Scores = dict[str, dict[str, Floats]]
LEVEL = 0.05
ATTITUDES = (0.5, 0.65, 0.8, 0.95)  # what a hit among two classes is worth
NARROW = 0.005  # of u(0.5): what two decimals do not show
# What stands for what in the two families.
TWINS = {"BAG": "RF IDM", "NDC": "RF NDC", "LAC 10%": "RF LAC 10%", "LAC+ 10%": "RF LAC+ 10%",
         "APS 10%": "RF APS 10%", "REJ 65": "RF REJ 65"}  # fmt: skip


def for_whom(bayes: UtilityLines, forest: UtilityLines) -> list[str]:
    """Who should take what: a paragraph a family."""
    return [
        _paragraph(bayes, "NBC", "naive Bayes"),
        _paragraph(forest, "RF", "a random forest"),
    ]


def in_short(bayes: UtilityLines, forest: UtilityLines, scores: Scores) -> str:
    """The answer in plain words; the numbers are gains over the single class in points."""

    def gain(name: str, q: float) -> str:
        lines, plain = (forest, "RF") if name.startswith("RF") else (bayes, "NBC")
        return f"{100 * float((lines.at(q) @ _contrast(lines, name, plain)).mean()):+.1f}"

    u80 = _snapped(scores["u80"]["NCC"] - scores["u80"]["NBC"])
    return (
        "In short: whoever gets no more for a set than for a guess among its members (u50) should "
        "name one class. Whoever values a hit among two classes at 0.65 is served best by the set "
        "of greatest expected F1 or utility under the classifier's own probabilities (NDC "
        f"{gain('NDC', 0.65)}, BEST 65 {gain('BEST 65', 0.65)}, RF NDC {gain('RF NDC', 0.65)} "
        "points over the single class). At 0.80 the set made for that utility is ahead (BEST 80 "
        f"{gain('BEST 80', 0.8)}), then APS 20% ({gain('APS 20%', 0.8)}), NDC "
        f"({gain('NDC', 0.8)}) and BAG ({gain('BAG', 0.8)}); in the forest RF NDC "
        f"({gain('RF NDC', 0.8)}) and RF IDM ({gain('RF IDM', 0.8)}). Only for those who hardly "
        "mind a second class do generous conformal sets earn most. NCC is ahead of NBC on "
        f"{int((u80 > 0).sum())} data sets under u80 and behind on {int((u80 < 0).sum())}, but "
        f"loses so much on a few that its mean gain is {gain('NCC', 0.8)}; CDT is determinate in "
        f"{100 * scores['determinacy']['CDT'].mean():.0f}% of cases and hardly differs from a "
        "precise tree. Conformal sets alone promise a coverage, and keep it; under u65 that costs "
        f"{gain('LAC+ 10%', 0.65)} points (LAC+ 10%) to {gain('APS 5%', 0.65)} (APS 5%), in part "
        "because 30% of the rows calibrate and do not teach. Naming all classes when in doubt "
        "(REJ) loses to naming some of them wherever there are more than two."
    )


def best_table(bayes: UtilityLines, forest: UtilityLines) -> StudyTable:
    """The best on average for some decision makers, and which are not surely worse."""
    rows = [
        (base, f"{q:g}", *_best_at(lines, plain, q))
        for base, plain, lines in (("naive Bayes", "NBC", bayes), ("random forest", "RF", forest))
        for q in ATTITUDES
    ]
    headers = (
        "around", "u(0.5)", "earns most", "gain over the single class (points)", "95% interval",
        "not surely worse than it",
    )  # fmt: skip
    return StudyTable("What to take for whom", headers, rows, digits=1)


def _best_at(lines: UtilityLines, plain: str, q: float) -> tuple[Any, ...]:
    values = 100 * lines.at(q)
    best = int(values.mean(axis=0).argmax())
    gains = values - values[:, [lines.names.index(plain)]]
    low, high = _interval(gains[:, best])
    behind = values[:, [best]] - values
    level = [
        name for j, name in enumerate(lines.names) if j != best and _interval(behind[:, j])[0] <= 0
    ]
    gain = float(gains[:, best].mean())
    return lines.names[best], gain, f"{low:.1f} to {high:.1f}", ", ".join(level) or "none"


def _interval(values: Floats) -> tuple[float, float]:
    """Student's 95% interval of the mean over data sets."""
    from scipy.special import stdtrit

    n = len(values)
    half = float(stdtrit(n - 1, 0.975) * values.std(ddof=1) / np.sqrt(n))
    return float(values.mean()) - half, float(values.mean()) + half


def _paragraph(lines: UtilityLines, plain: str, base: str) -> str:
    n = len(lines.lines)
    most = ", ".join(f"{name} from {low:.2f} to {high:.2f}" for low, high, name in lines.best())
    found = {name: surely_better(lines, name, plain) for name in lines.names if name != plain}
    better = [f"{name} ({_where(part)})" for name, part in found.items() if part]
    none = [name for name, part in found.items() if not part]
    words = [
        f"For whom, around {base}: by the mean over {n} data sets the most is earned, as u(0.5) "
        f"grows from 0.5 (no risk aversion) to 1, by {most}.",
        f"With 95% confidence better than {plain}: {', '.join(better) or 'none'}.",
    ]
    if none:
        words.append(f"Surely better for no u(0.5): {', '.join(none)}.")
    return " ".join(words)


def surely_better(lines: UtilityLines, a: str, b: str) -> tuple[float, float] | None:
    """From where to where the first is better with 95% confidence; None if nowhere.

    Examples
    --------
    >>> sure, vague = [0.7, 0.6, 0.65, 0.68], [0.5, 0.5, 0.5, 0.5]
    >>> lines = UtilityLines.of(["sure", "vague"], np.transpose([sure, vague]),
    ...                         np.transpose([sure, [0.8] * 4]))
    >>> low, high = surely_better(lines, "vague", "sure")
    >>> 0.66 < low < 0.75, high
    (True, 1.0)
    """
    interval = lines.break_even(a, b).interval
    gap = [float((lines.at(q) @ _contrast(lines, a, b)).mean()) for q in (LOW, HIGH)]
    if interval is None:
        return (LOW, HIGH) if min(gap) > 0 else None
    if gap[1] > 0 and interval[1] < HIGH - NARROW:
        return interval[1], HIGH
    return (LOW, interval[0]) if gap[0] > 0 and interval[0] > LOW + NARROW else None


def _contrast(lines: UtilityLines, a: str, b: str) -> Floats:
    return np.array([float(name == a) - float(name == b) for name in lines.names])


def _where(part: tuple[float, float]) -> str:
    low, high = part
    if (low, high) == (LOW, HIGH):
        return "for everyone"
    return f"u(0.5) above {low:.2f}" if high == HIGH else f"u(0.5) below {high:.2f}"


def claims(
    scores: Scores, kept: dict[str, Kept], bayes: UtilityLines, forest: UtilityLines
) -> list[Claim]:
    """What is said of such sets, checked."""
    return [
        _coverage(kept),
        _smallest(scores),
        _steady(scores, kept),
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
        f"give about {round(0.025 * cells)}",
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


def _steady(scores: Scores, kept: dict[str, Kept]) -> Claim:
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
        f"{', '.join(ahead) or 'none'}",
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
            f"{int((gap < -1e-12).sum())} lost, the others, most with two classes, equal)"
            for level, gap in gaps.items()
        ),
    )


def _everyone(bayes: UtilityLines) -> Claim:
    found = {name: surely_better(bayes, name, "NBC") for name in bayes.names if name != "NBC"}
    most = bayes.profile(less="NBC").expected
    late = {n: float(most[bayes.names.index(n), 30]) for n in found}  # u80 is the 31st of 51
    above = [name for name, gain in late.items() if gain > 0]
    return Claim(
        "asked",
        "for the risk averse (u80) every kind of set earns more than naive Bayes",
        len(above) == len(late),
        f"on average {len(above)} of {len(late)} do; not {_list(set(late) - set(above), late)}",
    )


def _same_in_the_forest(bayes: UtilityLines, forest: UtilityLines) -> Claim:
    gains = {
        q: [
            [float((lines.at(q) @ _contrast(lines, name, plain)).mean()) for name in names]
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
    gaps = _snapped(a - b)
    return float(np.median(gaps)), wilcoxon(gaps, 0 * gaps).p


def _ahead(a: Floats, b: Floats) -> bool:
    gaps = _snapped(a - b)
    found = wilcoxon(gaps, 0 * gaps)
    return bool(found.p < LEVEL and found.details["w_plus"] > found.details["w_minus"])


def _snapped(gaps: Floats) -> Floats:
    return np.where(np.abs(gaps) < 1e-12, 0.0, gaps)


def _list(names: Any, order: Any) -> str:
    return ", ".join(name for name in order if name in names) or "none"
