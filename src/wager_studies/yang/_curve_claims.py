"""Claims of Yang, Destercke & Masson (2017), Section VII-C, about the cost as s grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wager.compare import holm_adjust
from wager.experiments.study import Claim, Verdict, listed
from wager_studies.yang._cost_curves import LAST, LEVEL, TUNED, Curves, Gap, R, gap_of
from wager_studies.yang._ordinal_data import MODES

__all__ = ["claims_of", "set_size_claim", "tuning_claim"]

WHERE = "2017, VII-C"
CAUTIOUS, AVERSE = MODES
AROUND = 1.47  # the factor from a minimum to the points around it where slopes are compared
LATER = "LEV"  # the data set whose minimum for r = 0.9 the paper places beyond s = 10


def claims_of(curves: dict[str, Curves]) -> Iterator[Claim]:
    """The conclusions of Section VII-C, checked."""
    printed = {name: curve.printed() for name, curve in curves.items()}
    yield Claim(
        f"{WHERE}, Fig. 3",
        "the curves of Figure 3, point by point",
        Verdict.UNCHECKABLE,
        "the figure has no numbers; only what the text says of it is compared",
    )
    yield _order_claim(printed)
    yield Claim(
        WHERE,
        "the curves are concave, with an inflection point",
        Verdict.CONTRADICTION,
        "Section VII-C calls curves 'concave' and the point where they turn an 'inflection point', "
        "and says in the same sentences that the cost first decreases and then increases with s: "
        "such curves are convex near a minimum",
        "the curves are approximately concave",
        "convex, with a minimum",
    )
    yield _minimum_claim(curves, 0.5, CAUTIOUS)
    yield _minimum_claim(curves, 0.9, CAUTIOUS)
    yield _beyond_claim(curves)
    yield _shallow_claim(printed)
    for r in TUNED[1:]:
        yield _minimum_claim(curves, r, AVERSE)
    yield _smaller_claim(curves)
    yield _monotone_claim(printed, 0.0, "increasing")
    yield _monotone_claim(printed, 1.0, "decreasing")
    yield _differs_claim(curves)


def _order_claim(curves: dict[str, Curves]) -> Claim:
    """Cautious costs fall as r grows, by Eq. (12); mistake-averse ones need not."""
    rises = [
        max(float(np.diff(curve.costs[mode], axis=0).max()) for curve in curves.values())
        for mode in MODES
    ]
    averse = "too" if rises[1] <= 1e-12 else f"a miss costs more: up to {rises[1]:.3f} more"
    return Claim.checked(
        WHERE,
        "the higher r, the lower the cost at any s",
        rises[0] <= 1e-12,
        f"in the cautious mode {'always' if rises[0] <= 1e-12 else f'up to {rises[0]:.3f} more'}, "
        f"since a mean falls with its exponent; in the mistake-averse mode {averse}",
        "the lower is the cost for indeterminate predictions",
    )


def _significant(gaps: Sequence[Gap]) -> list[bool]:
    """Which differences are positive after Holm's adjustment."""
    adjusted = holm_adjust([gap.p for gap in gaps])
    return [bool(p < LEVEL and gap.mean > 0) for p, gap in zip(adjusted, gaps, strict=True)]


def _which(names: Sequence[str], found: Sequence[bool]) -> str:
    return listed(name for name, yes in zip(names, found, strict=True) if yes)


def _minimum_claim(curves: dict[str, Curves], r: float, mode: str) -> Claim:
    """Whether the cost falls and then rises: within the range of Figure 3, or at least beyond."""
    names = [name for name in curves if r != 0.9 or name != LATER]
    falls, near, far = [], [], []
    words = []
    for name in names:
        fall, rise = curves[name].printed().fall_and_rise(mode, r)
        _, beyond = curves[name].fall_and_rise(mode, r)
        falls.append(fall)
        near.append(rise)
        far.append(beyond)
        words.append(
            f"{name} best s = {curves[name].best(mode, r):g}, fall {-fall.mean:+.4f} "
            f"({-fall.high:+.4f} to {-fall.low:+.4f}), rise to s = {LAST:g} {rise}, to s = "
            f"{curves[name].strengths[-1]:g} {beyond}"
        )
    first = curves[names[0]].strengths[0] if names else 0.0
    inside = all(first < curves[name].best(mode, r) < LAST for name in names)
    n = len(names)
    tested = _significant([*falls, *near])
    late = _significant([*falls, *far])[n:]
    reading = ""
    if inside and not all(tested):
        reading = (
            "as a description of the curves, whose minima are inside the range of the figure, a "
            "reading that was chosen after the results; significant is the fall on "
            f"{_which(names, tested[:n])}, the rise to s = {LAST:g} on "
            f"{_which(names, tested[n:])} and the rise beyond it on {_which(names, late)}"
        )
    except_for = f", apart from {LATER}" if r == 0.9 else ""
    quote = (
        "firstly the cost decreases when we increase"
        if mode == CAUTIOUS
        else "The same behaviour can be observed when we use the"
    )
    return Claim.checked(
        f"{WHERE}, Fig. 3" if mode == CAUTIOUS else WHERE,
        f"r = {r}, {mode}: the cost falls, then rises with s{except_for}",
        inside,
        f"{'; '.join(words)}; tests with Holm's adjustment, the best s chosen on the other folds",
        quote,
        reading,
    )


def _beyond_claim(curves: dict[str, Curves]) -> Claim:
    """Whether the minimum for r = 0.9 on LEV is beyond s = 10, on a curve that goes to 100."""
    says = f"r = 0.9, cautious: on {LATER} the minimum is beyond s = {LAST:g}"
    quote = "inflection point for"
    if LATER not in curves:
        return Claim(f"{WHERE}, Fig. 3", says, None, f"{LATER} is missing", quote)
    curve = curves[LATER]
    best, (low, high) = curve.best(CAUTIOUS, 0.9), curve.plausible(CAUTIOUS, 0.9)
    inside = curve.printed().best(CAUTIOUS, 0.9)
    _, rise = curve.fall_and_rise(CAUTIOUS, 0.9)
    because = (
        f"on a curve up to s = {curve.strengths[-1]:g} the minimum is at s = {best:g}, and no "
        f"significant difference from it for s from {low:g} to {high:g}; up to s = {LAST:g} the "
        f"smallest cost is at s = {inside:g}; rise from the minimum to s = "
        f"{curve.strengths[-1]:g}: {rise}"
    )
    if low > LAST:
        return Claim(f"{WHERE}, Fig. 3", says, Verdict.REPRODUCED, because, quote)
    unseen = inside == LAST
    reading = (
        f"that up to s = {LAST:g} the curve shows no minimum; whether the minimum is beyond it is "
        "not decided by these data"
    )
    verdict = Verdict.READING if unseen else Verdict.NOT_REPRODUCED
    return Claim(f"{WHERE}, Fig. 3", says, verdict, because, quote, reading if unseen else "")


def _shallow_claim(curves: dict[str, Curves]) -> Claim:
    """For r = 0.1: whether there is a fall at all."""
    falls = {name: curve.fall_and_rise(CAUTIOUS, 0.1)[0] for name, curve in curves.items()}
    found = _significant(list(falls.values()))
    opposite = _significant([Gap(-g.mean, -g.high, -g.low, g.p) for g in falls.values()])
    words = "; ".join(
        f"{name} best s = {curves[name].best(CAUTIOUS, 0.1):g}, fall {-gap.mean:+.4f} "
        f"({-gap.high:+.4f} to {-gap.low:+.4f})"
        for name, gap in falls.items()
    )
    verdict = Verdict.UNCHECKABLE
    if all(found):
        verdict = Verdict.REPRODUCED
    elif any(opposite):
        verdict = Verdict.NOT_REPRODUCED
    return Claim(
        f"{WHERE}, Fig. 3",
        "r = 0.1, cautious: a minimum is present, though hardly visible",
        verdict,
        f"{words}; significant on {sum(found)} of {len(found)}. So small a fall cannot be "
        "distinguished from none with so few rows"
        if not all(found)
        else words,
        "is still present but less remarkable in the graphics",
    )


def _smaller_claim(curves: dict[str, Curves]) -> Claim:
    """Where the two minima are, and on which side the other one lies by the slopes."""
    words, smaller, larger, left, right = [], 0, 0, 0, 0
    pairs = [(name, r) for name in curves for r in TUNED[1:]]
    for name, r in pairs:
        curve = curves[name]
        a, c = curve.best(AVERSE, r), curve.best(CAUTIOUS, r)
        change = curve.change_around(r, c, AROUND)
        smaller, larger = smaller + (a < c), larger + (a > c)
        left, right = left + (change.low > 0), right + (change.high < 0)
        words.append(f"{name}, r = {r}: s = {a:g} against {c:g}, slope {change}")
    return Claim.checked(
        WHERE,
        "in the mistake-averse mode the best s is smaller",
        smaller == len(pairs) or (left == len(pairs) and not larger),
        f"smaller in {smaller} of {len(pairs)} cases (r = 0.5 and 0.9), larger in {larger}, "
        f"otherwise the same point of a grid with steps of a factor of 1.21; the price of mistakes "
        f"grows around the cautious minimum, which puts the other minimum to its left, "
        f"significantly in {left} cases, and falls in {right}. {'; '.join(words)}. It falls where "
        "larger sets miss less often, so the statement is no law",
        "which minimize the score is smaller than with the",
    )


def _monotone_claim(curves: dict[str, Curves], r: float, word: str) -> Claim:
    sign = 1 if word == "increasing" else -1
    words, strict, against = [], True, []
    totals = []
    for name, curve in curves.items():
        steps = sign * np.diff(curve.costs[CAUTIOUS][R.index(r)])
        strict &= bool((steps > 0).all())
        splits = curve.splits[CAUTIOUS][R.index(r)]
        totals.append(gap_of(sign * (splits[-1] - splits[0])))
        against += [
            Gap(-sign * g.mean, 0, 0, g.p) for g in curve.steps(CAUTIOUS, r) if sign * g.mean < 0
        ]
        wrong = steps < -1e-12
        last = float(curve.strengths[np.flatnonzero(wrong)[-1] + 1]) if wrong.any() else None
        words.append(
            f"{name} {sign * steps.sum():+.2f} in all, {int(wrong.sum())} of {len(steps)} steps "
            f"against it"
            + (f", of at most {-steps.min():.4f}, the last one to s = {last:g}" if last else "")
            + (f", {int((np.abs(steps) <= 1e-12).sum())} equal" if not (steps > 0).all() else "")
        )
    contrary = sum(_significant(against)) if against else 0
    whole = all(_significant(totals))
    verdict = Verdict.NOT_REPRODUCED
    if strict:
        verdict = Verdict.REPRODUCED
    elif not contrary and whole:
        verdict = Verdict.READING
    return Claim(
        WHERE,
        f"r = {r:g}: the curves are strictly {word}",
        verdict,
        f"{'; '.join(words)}; {contrary} of {len(against)} steps against it are significant after "
        "Holm",
        f"are strictly {word}" if r == 0 else f"the curve is strictly {word}",
        f"{word} up to the uncertainty of the folds, and equal where no set changes"
        if verdict is Verdict.READING
        else "",
    )


def _differs_claim(curves: dict[str, Curves]) -> Claim:
    words, apart = [], True
    for r in TUNED[1:]:
        ranges = {name: curve.plausible(CAUTIOUS, r) for name, curve in curves.items()}
        latest = max(low for low, _ in ranges.values())
        earliest = min(high for _, high in ranges.values())
        apart &= earliest < latest
        words.append(
            f"r = {r}: "
            + ", ".join(
                f"{name} {curves[name].best(CAUTIOUS, r):g} ({low:g} to {high:g})"
                for name, (low, high) in ranges.items()
            )
        )
    return Claim.checked(
        WHERE,
        "for the same r the best s differs between data sets",
        apart,
        f"best s, and in brackets the values without a significant difference from it: "
        f"{'; '.join(words)}; for r = 0.1 the minima are too shallow to compare",
        "is not always the same from one data set to another",
    )


def tuning_claim(excess: dict[tuple[str, str, float], tuple[Gap, float]]) -> Claim:
    """The suggestion that cross-validation finds the best s."""
    worse = _significant([gap for gap, _ in excess.values()])
    names = [
        f"{name}, r = {r}, {mode}: {gap}, {percent:.1f}%"
        for ((name, mode, r), (gap, percent)), found in zip(excess.items(), worse, strict=True)
        if found
    ]
    percents = [percent for _, percent in excess.values()]
    return Claim.checked(
        WHERE,
        "cross-validation within the training set finds the best s",
        not names,
        "compared with the best of the offered values in hindsight, the chosen s costs "
        f"{np.median(percents):.1f}% more in the median of {len(percents)} cases and at most "
        f"{max(percents):.1f}%; significantly more after Holm: {listed(names)}. The training sets "
        "within the search are a fifth smaller, so that the same s is more imprecise there",
        "to automatically determine the optimal value of",
        "that the chosen s costs hardly more than the best one, even if it is another s",
    )


def set_size_claim(sizes: dict[str, Sequence[float]]) -> Claim:
    """Whether predictions become more indeterminate as s grows."""
    steps = {name: np.diff(values) for name, values in sizes.items()}
    return Claim.checked(
        "2017, VII-B",
        "the larger s, the more indeterminate the predictions",
        all((each >= -1e-12).all() for each in steps.values()),
        "mean set sizes from the smallest to the largest s: "
        + "; ".join(
            f"{name} {values[0]:.2f} to {values[-1]:.2f}, never smaller at a larger s"
            if (steps[name] >= -1e-12).all()
            else f"{name} {values[0]:.2f} to {values[-1]:.2f}"
            for name, values in sizes.items()
        ),
        "the more indeterminate the predictions of NCC will be",
    )
