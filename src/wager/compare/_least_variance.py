"""The papers' rule for a winner: equal expected reward, least variance.

Among classifiers of about equal expected reward, Zaffalon, Corani & Mauá (2012, Section 7) prefer
the one whose rewards have the least variance.  Everyone with a quadratic utility agrees.  For other
concave utilities the rule may be wrong; `objective_winner` covers all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from wager._tables import ROUNDING, Table, View, Viewed, real_number, require_kind
from wager._visible import brief
from wager.compare._classifier_names import by_name, listed
from wager.compare._pickled import Pickled
from wager.compare._propositions import Proposition, proposition
from wager.rewards import Moments, Tally


@dataclass(frozen=True, repr=False)
class LeastVariance(Pickled, Viewed):
    """The result of the rule of equal expected reward and least variance.

    Attributes
    ----------
    winner : str or None
        The classifier of least variance among those of `equal`; None if the rule does not apply.
    equal : tuple of str
        The classifiers whose expected reward is within the tolerance of the largest.
    moments : mapping of str to Moments
        Mean, second moment and variance of each classifier's reward.
    proposition : Proposition or None
        The proposition that decides between two for every concave utility, if one applies: it
        needs expected rewards that are exactly equal.
    verdict : str
        The result as a sentence; it is valid for quadratic utilities.
    """

    winner: str | None
    equal: tuple[str, ...]
    moments: Mapping[str, Moments]
    proposition: Proposition | None
    verdict: str

    def _view(self) -> View:
        rows = [(name, m.mean, m.variance) for name, m in self.moments.items()]
        table = Table(["classifier", "mean reward", "variance"], rows)
        return View(tables=[table], verdict=[self.verdict])


def least_variance_winner(
    tallies: Mapping[str, Tally] | Iterable[Tally], tolerance: float = 0.01
) -> LeastVariance:
    """The classifier with the least variance of reward among those of equal expected reward.

    Among classifiers whose expected rewards are equal, the one with the smallest variance of the
    reward earns most under every concave quadratic utility.

    Use it to follow the paper; `dominance` decides for all who are averse to risk.

    Parameters
    ----------
    tallies : mapping of name to Tally, or sequence of Tally
        At least two classifiers.
    tolerance : float, default=0.01
        Expected rewards (discounted accuracies) this close to the largest count as equal to it.

    Notes
    -----
    The rule is valid for quadratic utilities only.  Rewards 0, 1/3, 1/2, 1 with probabilities 3/12,
    1/12, 6/12, 2/12 have the same mean as, and a smaller variance than, the same rewards with
    probabilities 2/12, 7/12, 0, 3/12, but a strongly risk-averse exponential utility (a = 3)
    prefers the second.

    References
    ----------
    Zaffalon, Corani & Mauá (2012), Section 7.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], [[0, 1], [0, 1]], classes=[0, 1])
    >>> guess = Tally.of([0, 1], [0, 0], classes=[0, 1])
    >>> least_variance_winner({"vacuous": vacuous, "guess": guess}, tolerance=0).winner
    'vacuous'
    """
    named = by_name(tallies)
    if len(named) < 2:
        raise ValueError(f"a winner needs at least 2 classifiers, got {len(named)}")
    if not real_number(tolerance, "tolerance") >= 0:
        raise ValueError(f"tolerance must not be negative, got {brief(tolerance)}")
    for name, tally in named.items():
        require_kind(tally, f"the tally of {name}", Tally)
    moments = {name: tally.moments() for name, tally in named.items()}
    top = max(m.mean for m in moments.values())
    equal = tuple(name for name, m in moments.items() if m.mean >= top - tolerance - ROUNDING)
    least = min(moments[name].variance for name in equal)
    ahead = [name for name in equal if moments[name].variance <= least + ROUNDING]
    winner = ahead[0] if len(equal) > 1 and len(ahead) == 1 else None
    theorem = None
    if len(equal) == 2:
        first, second = equal
        # the propositions are about exactly equal means: within a tolerance they are false
        theorem = proposition(named[first], named[second], names=equal)
    verdict = _words(winner, equal, ahead, moments, tolerance)
    if theorem is not None:
        verdict = f"{verdict}; {theorem.words}"
    return LeastVariance(winner, equal, MappingProxyType(moments), theorem, verdict)


def variance_difference(f: Tally, g: Tally) -> float:
    """Var[g] - Var[f] from the determinate and indeterminate parts of the rewards (Eq. 3).

    For equal expected rewards it is E[g_D] + E[g_I²] - E[f_D] - E[f_I²], where h_D and h_I are the
    rewards from single classes and from sets (Zaffalon, Corani & Mauá, 2012, Sec. 7).  If it is
    positive, f is preferable.

    Examples
    --------
    >>> vacuous = Tally.of([0, 1], [[0, 1], [0, 1]], classes=[0, 1])
    >>> guess = Tally.of([0, 1], [0, 0], classes=[0, 1])
    >>> variance_difference(vacuous, guess)
    0.25
    """
    second = [part.determinate + part.indeterminate_square for part in map(Tally.decompose, (f, g))]
    mean = [tally.moments().mean for tally in (f, g)]
    return (second[1] - second[0]) - (mean[1] - mean[0]) * (mean[1] + mean[0])


def _words(
    winner: str | None,
    equal: tuple[str, ...],
    ahead: list[str],
    moments: Mapping[str, Moments],
    tolerance: float,
) -> str:
    if len(equal) == 1:
        return (
            f"the rule does not apply: no other expected reward is within {tolerance:g} of that of "
            f"{equal[0]} ({moments[equal[0]].mean:.4f})"
        )
    if winner is None:
        return f"the rule does not decide: the rewards of {listed(ahead)} have the same variance"
    others = listed(name for name in equal if name != winner)
    least = f"its variance is the least ({moments[winner].variance:.4f})"
    top = max(moments[name].mean for name in equal)
    exact = top - min(moments[name].mean for name in equal)
    if exact <= ROUNDING:
        return (
            f"{winner} wins for quadratic utilities: its expected reward equals that of {others}, "
            f"and {least}"
        )
    if moments[winner].mean >= top - ROUNDING:
        best = "its expected reward is the largest"
        return f"{winner} wins for quadratic utilities: {best}, and {least}"
    return (
        f"{winner} wins by the rule: its expected reward is within {tolerance:g} of that of "
        f"{others}, and {least}; the theorem behind the rule needs equal means, so users close to "
        "risk neutral may prefer another one"
    )
