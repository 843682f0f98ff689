"""Claims of Hope & Korb (2004) about 37 data sets, checked with our runs."""

from __future__ import annotations

from collections.abc import Iterator

from wager._typing import Floats
from wager.experiments.study import Claim, listed
from wager_studies.hope_korb._appendix import InUnitOfA1, same_order
from wager_studies.hope_korb._five_by_two import Runs, Wins

__all__ = ["ACCURACY", "MEASURES", "REWARD", "TABLES", "TITLES", "claims_of"]

REWARD, ACCURACY = MEASURES = ("information_reward", "accuracy")
TITLES = {REWARD: "information reward", ACCURACY: "accuracy"}
TABLES = {REWARD: "1", ACCURACY: "2"}
ADVANCED = ("CaMML", "AODE", "TAN")


def claims_of(
    runs: dict[str, Runs],
    beats: dict[str, Wins],
    paper: dict[str, Wins],
    in_unit: InUnitOfA1,
    a1: Floats,
) -> list[Claim]:
    """Every conclusion of the paper, checked.

    Parameters
    ----------
    runs, beats, paper : dict by measure
        Our scores, the significant differences in them, and those in the paper.
    in_unit, a1
        Our scores in the unit of A.1, and the printed scores.
    """
    return [
        *_on_learners(beats, runs),
        *(_again(m, beats[m], paper[m], runs[m]) for m in MEASURES),
        _unit(in_unit, a1),
    ]


def _count(beats: Wins, winner: str, loser: str) -> int:
    return sum((winner, loser) in pairs for pairs in beats.values())


def _on_learners(beats: dict[str, Wins], runs: dict[str, Runs]) -> Iterator[Claim]:
    """Claims of Section 5.2 and of the captions."""
    reward, accuracy = beats[REWARD], beats[ACCURACY]
    lost = {rival: _count(reward, rival, "NB") for rival in ADVANCED}
    won = {rival: _count(reward, "NB", rival) for rival in ADVANCED}
    yield Claim(
        "5.2",
        "naive Bayes is clearly inferior to the other Bayesian learners",
        all(lost[rival] > won[rival] for rival in ADVANCED),
        "significant losses and wins by reward, against "
        + ", ".join(f"{rival} {lost[rival]} and {won[rival]}" for rival in ADVANCED),
    )
    yield _follows(reward, runs[REWARD])
    margins = {r: (_count(reward, "AODE", r), _count(reward, r, "AODE")) for r in ("TAN", "CaMML")}
    yield Claim(
        "5.2",
        "of TAN, AODE and CaMML, AODE is ahead surprisingly often",
        all(wins > losses for wins, losses in margins.values()),
        "by reward, "
        + "; ".join(
            f"beats {r} {wins} times, loses {losses} times, larger mean on "
            f"{runs[REWARD].ahead('AODE', r)} of {len(reward)}"
            for r, (wins, losses) in margins.items()
        ),
    )
    never = {m: _where(beats[m], "TAN", "AODE") for m in MEASURES}
    yield Claim(
        "5.2",
        "TAN never beats AODE",
        not any(never.values()),
        "; ".join(f"by {TITLES[m]}: {listed(found)}" for m, found in never.items()),
    )
    only = {m: _where(beats[m], "TAN", "CaMML") for m in MEASURES}
    yield Claim(
        "5.2",
        "TAN beats CaMML on ptn only",
        all(set(found) <= {"ptn"} for found in only.values()) and any(only.values()),
        "; ".join(f"by {TITLES[m]}: {listed(found)}" for m, found in only.items()),
    )
    yield from _on_one_data_set(beats)
    differ = [name for name in reward if reward[name] != accuracy[name]]
    yield Claim(
        "5.2",
        "accuracy and information reward commonly differ",
        len(differ) > len(reward) / 2,
        f"the significant pairs differ on {len(differ)} of {len(reward)} data sets",
    )
    turned = [
        f"{name} ({winner}, {loser})"
        for name in reward
        for winner, loser in sorted(accuracy[name])
        if (loser, winner) in reward[name]
    ]
    yield Claim(
        "6",
        "results can be reversed",
        bool(turned),
        f"significantly better by accuracy and significantly worse by reward: {listed(turned)}",
    )


def _follows(reward: Wins, runs: Runs) -> Claim:
    """The claim that the others also beat J48 where naive Bayes does."""
    places = [runs.names.index(name) for name, found in reward.items() if ("NB", "J48") in found]
    tree = runs.means[places, runs.learners.index("J48")]
    better = {r: int((runs.means[places, runs.learners.index(r)] > tree).sum()) for r in ADVANCED}
    significant = {
        r: sum((r, "J48") in found for found in reward.values() if ("NB", "J48") in found)
        for r in ADVANCED
    }
    return Claim(
        "5.2",
        "where naive Bayes beats J48 by reward, the other Bayesian learners are superior too",
        bool(places) and all(count == len(places) for count in better.values()),
        f"of {len(places)} data sets, larger mean (and significantly): "
        + ", ".join(f"{r} {better[r]} ({significant[r]})" for r in ADVANCED),
    )


def _on_one_data_set(beats: dict[str, Wins]) -> Iterator[Claim]:
    """Claims about sign and hypothyroid."""
    for name, measure, winners, losers, where, says in (
        ("sign", ACCURACY, ["J48"], ["NB", "CaMML", "AODE", "TAN"], "5.2",
         "on sign J48 is better than any other by accuracy"),
        ("sign", REWARD, ["CaMML", "AODE", "TAN"], ["J48"], "5.2",
         "on sign J48 is worse than TAN, AODE and CaMML by reward"),
        ("hypothyroid", REWARD, ["J48", *ADVANCED], ["NB"], "Table 1",
         "on hypothyroid naive Bayes is worse than all others by reward"),
        ("sign", ACCURACY, ["J48", *ADVANCED], ["NB"], "Table 2",
         "on sign naive Bayes is worse than all others by accuracy"),
    ):  # fmt: skip
        if name in beats[measure]:
            wanted = {(winner, loser) for winner in winners for loser in losers}
            found = sorted(wanted & beats[measure][name])
            shown = listed([f"{winner} above {loser}" for winner, loser in found])
            yield Claim(where, says, len(found) == len(wanted), f"significant: {shown}")


def _again(measure: str, beats: Wins, paper: Wins, runs: Runs) -> Claim:
    """The claim that the winners of a table are better, with the pairs that reproduce."""
    pairs = [(name, pair) for name, found in paper.items() for pair in found]
    ahead = sum(runs.is_ahead(name, pair) for name, pair in pairs)
    same = sum(pair in beats[name] for name, pair in pairs)
    opposite = listed([name for name, pair in pairs if pair[::-1] in beats[name]])
    all_ten = runs.beats("F")
    steadier = sum(pair in all_ten[name] for name, pair in pairs)
    return Claim(
        f"Table {TABLES[measure]}",
        f"the printed winners are better by {TITLES[measure]} (legible pairs)",
        ahead >= 0.9 * len(pairs),
        f"of {len(pairs)} pairs {ahead} have our means in the same order; {same} are significant "
        f"again, significant in the opposite direction: {opposite}; by the F-test, which uses all "
        f"ten differences, {steadier}; with another fold first only "
        f"{100 * runs.repeatable():.0f}% of our significant pairs remain significant",
    )


def _unit(in_unit: InUnitOfA1, a1: Floats) -> Claim:
    """The claim that A.1 shows information rewards."""
    off = [abs(10 * share - round(10 * share)) / 10 for _, _, share in in_unit.shares]
    same, total = same_order(in_unit.scores, a1)
    beyond = [bool((row > most).any()) for row, most in zip(a1, in_unit.most, strict=True)]
    return Claim(
        "A.1",
        "the raw scores are information rewards",
        not any(beyond),
        f"on {sum(beyond)} of {len(beyond)} data sets they exceed the maximum of Eq. (10) "
        "in bits; read as sums in nats with a prior of one class, a reading fitted to A.1 itself, "
        f"{same} of {total} pairs of learners are in the printed order; of "
        f"{len(off)} data sets with two classes, {sum(o < 0.025 for o in off)} imply a share of "
        "the folds within 0.025 of a tenth, where chance would give a half",
    )


def _where(beats: Wins, winner: str, loser: str) -> list[str]:
    return [name for name, pairs in beats.items() if (winner, loser) in pairs]
