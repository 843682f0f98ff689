"""What a set of classes is worth: Theorem 1, the propositions and Example 1 of the two papers.

Zaffalon, Corani & Mauá (2012), Sections 4 to 7, which are Sections 4 to 6 of (2011).  The paper
proves the propositions with its second-order formula; here they are checked with exact sums.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wager._typing import Floats
from wager.experiments.study import Claim, Verdict
from wager.rewards import game_value, get_utility
from wager_studies._draws import draws

__all__ = ["claims_on_sets"]

CONCAVE = ("log", "exp:0.5", "exp:1", "exp:5")
SIZES = range(2, 21)
LAWS = 500  # random laws of rewards for each proposition
SHARED = 0.05  # the epsilon of Example 1


def claims_on_sets(seed: int | None = None) -> Iterator[Claim]:
    """The main results on single bets, with exact sums instead of the second-order formula."""
    games = {k: game_value(np.eye(k)) for k in SIZES}
    off = max(abs(game.value - 1 / k) for k, game in games.items())
    uneven = max(float(np.ptp(game.bet)) for game in games.values())
    yield Claim.checked(
        "2012, 4, Theorem 1",
        "a set of k classes with the true one among them is worth 1/k",
        max(off, uneven) < 1e-9,
        f"the game of bettor and House, solved for sets of 2 to {SIZES[-1]} classes: the value is "
        f"1/k within {off:.0e}, and the uniform bet secures it",
        "uniquely consistent with (A1)–(A5) is the discounted accuracy",
    )
    leads = [_worth([0, 1 / n, 1], [0, 1, 0], u) - _worth([0, 1], [1 - 1 / n, 1 / n], u)
             for n in SIZES for u in CONCAVE]  # fmt: skip
    yield Claim.checked(
        "2012, 5, Proposition 1",
        "all classes are worth more than a random one to everybody who is averse to risk",
        min(leads) > 0,
        f"2 to {SIZES[-1]} classes, {len(CONCAVE)} concave utilities: the lead is at least "
        f"{min(leads):.2g}",
        "the expected utility of the vacuous is greater under any strictly concave utility",
    )
    yield from _propositions(seed)
    yield _variance()
    yield from _example_1()


def _worth(rewards: Floats | list[float], law: Floats | list[float], utility: str) -> float:
    """The expected utility of a law of rewards."""
    return float(np.asarray(get_utility(utility)(np.asarray(rewards, dtype=float))) @ law)


def _propositions(seed: int | None) -> Iterator[Claim]:
    rng = draws(2012, seed)
    rewards = np.array([0, 1 / 4, 1 / 3, 1 / 2, 1])
    credal = rng.dirichlet(np.ones(5), LAWS)
    means = credal @ rewards
    gains = [
        _worth(rewards, law, u) - _worth([0, 1], [1 - mean, mean], u)
        for law, mean in zip(credal, means, strict=True)
        for u in CONCAVE
    ]
    yield Claim.checked(
        "2012, 7, Proposition 2",
        "of a credal and a precise classifier with the same mean reward, the credal one is better",
        min(gains) > 0,
        f"{LAWS} random laws of rewards for four classes, {len(CONCAVE)} concave utilities: the "
        f"gain is at least {min(gains):.2g}. The paper proves it by its second-order formula; it "
        "is true exactly, since a concave utility lies above its chord",
        "Then the credal classifier is preferable to the precise classifier under any strictly",
    )
    # Rewards 0, 1/n and 1: a larger share of all classes, and the same mean.
    n, shares = 3, np.sort(rng.uniform(0, 0.6, (LAWS, 2)))
    mean = 0.2 + rng.uniform(0, 0.2, LAWS)
    laws = [np.stack([1 - s - (mean - s / n), s, mean - s / n], axis=1) for s in shares.T]
    more = [
        _worth([0, 1 / n, 1], second, u) - _worth([0, 1 / n, 1], first, u)
        for first, second in zip(*laws, strict=True)
        for u in CONCAVE
    ]
    yield Claim.checked(
        "2012, 7, Proposition 3",
        "of two classifiers whose sets are all classes, with equal means, the more cautious wins",
        min(more) > 0,
        f"{LAWS} random pairs for three classes, {len(CONCAVE)} concave utilities: the gain is at "
        f"least {min(more):.2g}",
        "Then the more indeterminate classifier is preferable under any strictly concave utility",
    )


def _variance() -> Claim:
    rewards = np.array([0, 1 / 3, 1 / 2, 1])
    f, g = np.array([3, 1, 6, 2]) / 12, np.array([2, 7, 0, 3]) / 12
    spread = [float((rewards - rewards @ law) ** 2 @ law) for law in (f, g)]
    exact = [_worth(rewards, law, "exp:3") for law in (f, g)]
    return Claim.checked(
        "2012, 7",
        "of two classifiers with the same mean reward, that with the smaller variance wins",
        spread[0] < spread[1],
        "true of Eq. (2) and of quadratic utilities. With exact sums it fails: rewards 0, 1/3, "
        f"1/2, 1 with weights 3, 1, 6, 2 and 2, 7, 0, 3 have the mean {rewards @ f:.4f} both and "
        f"variances {spread[0]:.4f} and {spread[1]:.4f}, but 1 - exp(-3x) gives the second more, "
        f"{exact[1]:.4f} against {exact[0]:.4f}",
        "the classifier with minimum variance wins under every strictly concave utility function",
        "with Eq. (2) in place of the expected utility, as Section 7 announces",
    )


def _example_1() -> Iterator[Claim]:
    e = SHARED
    g = {"hit": np.array([0.3, 0.2, 0.1]), "miss": np.array([0.2, 0.2, 0.0])}
    f = {"hit": g["hit"] + [e, -2 * e, 0], "miss": g["miss"] + [-2 * e, 3 * e, 0]}
    k = np.arange(1, 4)
    means = [float(each["hit"] @ (1 / k)) for each in (f, g)]
    squares = [float(each["hit"] @ (1 / k**2)) for each in (f, g)]
    single = [float(each["hit"][0] + each["miss"][0]) for each in (f, g)]
    sizes = [float((each["hit"] + each["miss"]) @ k) for each in (f, g)]
    yield Claim.checked(
        "2012, 7, Example 1",
        "a more determinate classifier can have the smaller variance and be preferred",
        abs(means[0] - means[1]) < 1e-12 and squares[1] < squares[0] and single[1] > single[0],
        f"with epsilon = {e}: equal means, the second moment of f is larger by "
        f"{(squares[0] - squares[1]) / e:.2g} epsilon, its determinacy smaller by "
        f"{(single[1] - single[0]) / e:.2g} epsilon, as printed",
        "is preferred over f even though g is more determinate than",
    )
    yield Claim(
        "2012, 7, Example 1",
        "in this example f returns 4 epsilon more classes on average",
        Verdict.CONTRADICTION,
        "by the probabilities of the same example the difference is "
        f"{(sizes[0] - sizes[1]) / e:.2g} epsilon: 1(1 - 2) + 2(-2 + 3). That f returns more "
        "classes is right",
        "even though the former has a smaller expected number of outputs than the latter",
    )
