"""Claims of Hope & Korb (2004) about 37 data sets, checked with our runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wager._typing import Floats
from wager.compare import holm_adjust, wilcoxon
from wager.experiments.study import Claim, Finding, Verdict, listed
from wager_studies.hope_korb._appendix import InUnitOfA1, same_order
from wager_studies.hope_korb._five_by_two import ALPHA, Runs, Wins

__all__ = [
    "ACCURACY",
    "MEASURES",
    "REWARD",
    "TABLES",
    "TITLES",
    "Results",
    "claims_of",
    "findings_of",
]

REWARD, ACCURACY = MEASURES = ("information_reward", "accuracy")
TITLES = {REWARD: "information reward", ACCURACY: "accuracy"}
TABLES = {REWARD: "1", ACCURACY: "2"}
ADVANCED = ("CaMML", "AODE", "TAN")


@dataclass(frozen=True, eq=False)
class Results:
    """What the claims are checked with.

    Attributes
    ----------
    runs, beats, paper : dict by measure
        Our scores, the significant differences in them, and those in the paper.
    printed : dict by measure
        The scores in the appendix, by data set and learner: A.1 and A.2.
    in_unit : InUnitOfA1
        Our rewards in the unit of A.1.
    """

    runs: Mapping[str, Runs]
    beats: Mapping[str, Wins]
    paper: Mapping[str, Wins]
    printed: Mapping[str, Floats]
    in_unit: InUnitOfA1

    def lead(self, measure: str, a: str, b: str) -> Floats:
        """Our mean score of one learner minus that of another, by data set."""
        return self.runs[measure].scores(a) - self.runs[measure].scores(b)

    def printed_lead(self, measure: str, a: str, b: str) -> Floats:
        """The same in the appendix."""
        first, second = (self.runs[measure].learners.index(name) for name in (a, b))
        return self.printed[measure][:, first] - self.printed[measure][:, second]


def claims_of(results: Results) -> list[Claim]:
    """Every conclusion of the paper, checked."""
    return [
        _naive_bayes(results),
        _follows(results),
        _aode(results),
        *_never(results),
        *_on_one_data_set(results),
        *_two_measures(results),
        *(_again(results, measure) for measure in MEASURES),
        _unit(results),
    ]


def findings_of(results: Results) -> list[Finding]:
    """Questions of our own about the printed tables."""
    return [_direction(results), _stability(results)]


def _count(beats: Wins, winner: str, loser: str) -> int:
    return sum((winner, loser) in pairs for pairs in beats.values())


def _tests(leads: Sequence[Floats]) -> Floats:
    """Wilcoxon's p values over the data sets, by Holm's rule; 1 where there is no lead at all."""
    return holm_adjust([wilcoxon(lead).p if np.any(lead) else 1.0 for lead in leads])


def _ahead(lead: Floats, p: float) -> str:
    return f"{int((lead > 0).sum())} of {len(lead)} (p = {p:.2g})"


def _ahead_by(results: Results, measure: str, pairs: Sequence[tuple[str, str]]) -> tuple[bool, str]:
    """Whether the first of each pair is better over the data sets, and the evidence as text."""
    leads = [results.lead(measure, a, b) for a, b in pairs]
    p = _tests(leads)
    good = bool(all((lead > 0).sum() > (lead < 0).sum() for lead in leads) and (p < ALPHA).all())
    theirs = [results.printed_lead(measure, a, b) for a, b in pairs]
    table = {REWARD: "A.1", ACCURACY: "A.2"}[measure]
    parts = []
    for (a, b), lead, value, print_ in zip(pairs, leads, p, theirs, strict=True):
        wins, losses = (_count(results.beats[measure], *pair) for pair in ((a, b), (b, a)))
        known = print_[np.isfinite(print_)]
        parts.append(
            f"{a} above {b} on {_ahead(lead, value)}, significantly on {wins} and below on "
            f"{losses}; in {table} on {int((known > 0).sum())} of {len(known)}"
        )
    return good, f"by {TITLES[measure]}: " + "; ".join(parts)


HOLM = "p: Wilcoxon's test over the data sets, Holm's adjustment"


def _by_measure(
    results: Results,
    where: str,
    says: str,
    quote: str,
    pairs: Sequence[tuple[str, str]],
    more: str = "",
) -> Claim:
    """A claim that names no measure: reproduced if it holds by both, a reading if by one."""
    found = {measure: _ahead_by(results, measure, pairs) for measure in MEASURES}
    good = [TITLES[measure] for measure in MEASURES if found[measure][0]]
    because = ". ".join(text for _, text in found.values()) + f". {HOLM}{more}"
    if len(good) == 1:
        other = next(title for title in TITLES.values() if title not in good)
        reading = f"measured by {good[0]}, chosen after the results; by {other} it does not hold"
        return Claim(where, says, Verdict.READING, because, quote, reading)
    verdict = Verdict.REPRODUCED if good else Verdict.NOT_REPRODUCED
    return Claim(where, says, verdict, because, quote)


def _naive_bayes(results: Results) -> Claim:
    return _by_measure(
        results,
        "2004, 5.2",
        "naive Bayes is clearly inferior to the other Bayesian learners",
        "Naive Bayes is clearly inferior to the other Bayesian learners",
        [(rival, "NB") for rival in ADVANCED],
    )


def _aode(results: Results) -> Claim:
    return _by_measure(
        results,
        "2004, 5.2",
        "of TAN, AODE and CaMML, AODE is ahead surprisingly often",
        "AODE seems to outperform the others a surprising amount of the time",
        [("AODE", "TAN"), ("AODE", "CaMML")],
        f". In the legible Tables 1 and 2 AODE is significantly above CaMML on "
        f"{_legible(results, 'AODE', 'CaMML')} data sets, and below on "
        f"{_legible(results, 'CaMML', 'AODE')}",
    )


def _legible(results: Results, winner: str, loser: str) -> str:
    return " and ".join(str(_count(results.paper[m], winner, loser)) for m in MEASURES)


def _follows(results: Results) -> Claim:
    """The claim that the others also beat J48 where naive Bayes does."""
    runs, reward = results.runs[REWARD], results.beats[REWARD]
    names = [name for name, found in reward.items() if ("NB", "J48") in found]
    places = [runs.names.index(name) for name in names]
    leads = {r: results.lead(REWARD, r, "J48")[places] for r in ADVANCED}
    significant = {r: sum((r, "J48") in reward[name] for name in names) for r in ADVANCED}
    theirs = [name for name, found in results.paper[REWARD].items() if ("NB", "J48") in found]
    rows = [runs.names.index(name) for name in theirs]
    printed = {r: results.printed_lead(REWARD, r, "J48")[rows] for r in ADVANCED}
    return Claim.checked(
        "2004, 5.2",
        "where naive Bayes beats J48 by reward, the other Bayesian learners are superior too",
        bool(names) and all((lead > 0).all() for lead in leads.values()),
        f"naive Bayes beats J48 on {len(names)} of our data sets; larger mean than J48 (and "
        "significantly): "
        + ", ".join(f"{r} {int((leads[r] > 0).sum())} ({significant[r]})" for r in ADVANCED)
        + f". In Table 1 on {len(theirs)}, with larger means in A.1: "
        + ", ".join(f"{r} {int((printed[r] > 0).sum())}" for r in ADVANCED)
        + f". {len(names)} of {len(names)} still allow a true share of {_least(len(names)):.0%}",
        "the information reward results invariably show this property",
        "superior means a larger mean reward",
    )


def _least(n: int) -> float:
    """The lower end of the exact one-sided 95% interval of a share of n of n."""
    return float(0.05 ** (1 / n)) if n else 0.0


def _where(beats: Wins, winner: str, loser: str) -> list[str]:
    return [name for name, pairs in beats.items() if (winner, loser) in pairs]


def _never(results: Results) -> Iterator[Claim]:
    """Claims that TAN beats others nowhere, or on one data set only."""
    n = len(results.runs[REWARD].names)
    chance = f"of {2 * n} tests per pair, {2 * n * ALPHA / 2:.1f} would favour TAN by chance alone"
    for rival, allowed, says, quote in (
        ("AODE", set(), "TAN never beats AODE", "TAN never beats AODE"),
        ("CaMML", {"ptn"}, "TAN beats CaMML on ptn only", "only beats CaMML on the ‘ptn’ dataset"),
    ):
        found = {m: _where(results.beats[m], "TAN", rival) for m in MEASURES}
        by_f = {m: _where(results.runs[m].beats("F"), "TAN", rival) for m in MEASURES}
        holds = all(set(names) <= allowed for names in found.values())
        if allowed:
            holds = holds and any(found.values())
        yield Claim.checked(
            "2004, 5.2",
            says,
            holds,
            "; ".join(
                f"by {TITLES[m]}: {_with_p(results, m, found[m], rival)}; by the F-test "
                f"{listed(by_f[m])}"
                for m in MEASURES
            )
            + f"; {chance}",
            quote,
        )


def _with_p(results: Results, measure: str, names: Sequence[str], rival: str) -> str:
    runs = results.runs[measure]
    return listed([f"{name} (p = {runs.p(name, 'TAN', rival):.2g})" for name in names])


def _on_one_data_set(results: Results) -> Iterator[Claim]:
    """Claims about sign and hypothyroid."""
    for name, measure, winners, losers, where, says, quote in (
        ("sign", ACCURACY, ["J48"], ["NB", "CaMML", "AODE", "TAN"], "5.2",
         "on sign J48 is better than any other by accuracy",
         "accuracy reports that J48 is better than any other machine learner"),
        ("sign", REWARD, ["CaMML", "AODE", "TAN"], ["J48"], "5.2",
         "on sign J48 is worse than TAN, AODE and CaMML by reward",
         "information reward rates J48 as worse than TAN, AODE and CaMML"),
        ("hypothyroid", REWARD, ["J48", *ADVANCED], ["NB"], "Table 1",
         "on hypothyroid naive Bayes is worse than all others by reward",
         "NB performed significantly worse than all other learners"),
        ("sign", ACCURACY, ["J48", *ADVANCED], ["NB"], "Table 2",
         "on sign naive Bayes is worse than all others by accuracy",
         "NB performed significantly worse than all other learners"),
    ):  # fmt: skip
        if name in results.beats[measure]:
            wanted = [(winner, loser) for winner in winners for loser in losers]
            runs = results.runs[measure]
            tests = {
                pair: (runs.p(name, *pair, statistic="F"), runs.p(name, *pair)) for pair in wanted
            }
            sure = [runs.is_ahead(name, pair) and f < ALPHA for pair, (f, _) in tests.items()]
            by_t = [pair for pair in wanted if pair in results.beats[measure][name]]
            shown = [
                f"{a} {'above' if runs.is_ahead(name, (a, b)) else 'below'} {b} (p = {f:.2g}; by "
                f"the t-test {t:.2g})"
                for (a, b), (f, t) in tests.items()
            ]
            yield Claim.checked(
                f"2004, {where}",
                says,
                all(sure),
                f"5x2cv F-tests, {sum(sure)} of {len(wanted)} significant ({len(by_t)} by the "
                f"t-test): {listed(shown)}",
                quote,
                "by the F-test, which uses all ten differences; the t-test of the paper starts "
                "from that in the first fold, and gave other answers with another seed",
            )


def _two_measures(results: Results) -> Iterator[Claim]:
    """Claims that the two measures differ."""
    reward, accuracy = results.beats[REWARD], results.beats[ACCURACY]
    differ = [name for name in reward if reward[name] != accuracy[name]]
    legible = {m: results.paper[m] for m in MEASURES}
    empty: set[tuple[str, str]] = set()
    printed = [
        n for n in reward if legible[REWARD].get(n, empty) != legible[ACCURACY].get(n, empty)
    ]
    yield Claim.checked(
        "2004, 5.2",
        "accuracy and information reward commonly differ",
        len(differ) > len(reward) / 2,
        f"the significant pairs differ on {len(differ)} of {len(reward)} data sets, in the legible "
        f"parts of Tables 1 and 2 on {len(printed)}",
        "we can see that the results commonly differ",
        "commonly means on more than half of the data sets",
    )
    turned = [
        f"{name} ({winner} and {loser}, p = {results.runs[ACCURACY].p(name, winner, loser):.2g} "
        f"and {results.runs[REWARD].p(name, winner, loser):.2g})"
        for name in reward
        for winner, loser in sorted(accuracy[name])
        if (loser, winner) in reward[name]
    ]
    yield Claim.checked(
        "2004, 6",
        "results can be reversed",
        bool(turned),
        f"significantly better by accuracy and significantly worse by reward: {listed(turned)}",
        "found results can be reversed",
    )


def _pairs(results: Results, measure: str) -> list[tuple[str, tuple[str, str]]]:
    return [(name, pair) for name, found in results.paper[measure].items() for pair in found]


def _again(results: Results, measure: str) -> Claim:
    """The claim that the pairs of a table differ significantly."""
    runs, beats, pairs = results.runs[measure], results.beats[measure], _pairs(results, measure)
    same = sum(pair in beats[name] for name, pair in pairs)
    opposite = listed(sorted(name for name, pair in pairs if pair[::-1] in beats[name]))
    all_ten = runs.beats("F")
    steadier = sum(pair in all_ten[name] for name, pair in pairs)
    return Claim.checked(
        f"2004, Table {TABLES[measure]}",
        f"the listed learners are significantly inferior by {TITLES[measure]} (legible pairs)",
        bool(pairs) and same == len(pairs),
        f"of {len(pairs)} pairs {same} are significant again, {steadier} by the F-test, which uses "
        f"all ten differences; significant in the opposite direction: {opposite}; with another "
        f"fold first {runs.repeatable():.0%} of our own significant pairs remain significant",
        "deemed significantly inferior to that column’s machine learner",
    )


def _direction(results: Results) -> Finding:
    """Whether the winners of the tables have the larger means in our runs."""
    parts, shares = [], []
    for measure in MEASURES:
        pairs, runs = _pairs(results, measure), results.runs[measure]
        ahead = [runs.is_ahead(name, pair) for name, pair in pairs]
        wrong = [
            f"{name} ({a} above {b})"
            for (name, (a, b)), ok in zip(pairs, ahead, strict=True)
            if not ok
        ]
        shares.append(sum(ahead) / max(len(ahead), 1))
        parts.append(
            f"Table {TABLES[measure]}: {sum(ahead)} of {len(ahead)}; not: {listed(sorted(wrong))}"
        )
    return Finding(
        "Do the winners in Tables 1 and 2 have the larger means in our runs?",
        "nearly all" if min(shares) >= 0.9 else "not all",
        "; ".join(parts),
    )


def _stability(results: Results) -> Finding:
    kept = {m: results.runs[m].repeatable() for m in MEASURES}
    return Finding(
        "How much of a table of significant pairs by the 5x2cv t-test depends on which fold is "
        "first?",
        f"about {round(10 * (1 - float(np.mean(list(kept.values()))))) / 10:.0%} of it",
        "of our significant pairs, with another of the ten folds first, as many remain "
        "significant: " + ", ".join(f"{TITLES[m]} {share:.0%}" for m, share in kept.items()),
    )


def _unit(results: Results) -> Claim:
    """The claim that A.1 shows information rewards."""
    in_unit, a1 = results.in_unit, results.printed[REWARD]
    same, total = same_order(in_unit.scores, a1)
    beyond = [bool((row > most).any()) for row, most in zip(a1, in_unit.most, strict=True)]
    verdict = Verdict.CONTRADICTION if any(beyond) else Verdict.REPRODUCED
    return Claim(
        "2004, A.1",
        "the raw scores are information rewards",
        verdict,
        f'Appendix A.1 calls them "the raw results for Information Reward", but on {sum(beyond)} '
        f"of {len(beyond)} data sets they exceed the largest value that Eq. (10) of Section 4 can "
        "have, in bits or nats. The order of the learners is that of information rewards: "
        f"{same} of {total} pairs within a data set are in our order",
        "Here are the raw results for Information Reward",
        "for comparisons only: a unit that was fitted to A.1, see the notes",
    )
