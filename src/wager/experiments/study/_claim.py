"""Conclusions of a paper, checked against our numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

__all__ = ["Claim", "left_open", "listed"]


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper, and whether our numbers support it.

    Attributes
    ----------
    where : str
        The place in the paper.
    says : str
        The conclusion.
    holds : bool or None
        Whether it holds in our numbers; None if they do not decide it.
    because : str
        The numbers behind the verdict.
    """

    where: str
    says: str
    holds: bool | None
    because: str

    @property
    def verdict(self) -> str:
        """The verdict: "holds", "does not hold" or "open"."""
        return {True: "holds", False: "does not hold", None: "open"}[self.holds]


def listed(words: Iterable[str]) -> str:
    """Words joined by commas; "none" if there are no words.

    Examples
    --------
    >>> listed(["NBC", "NCC"]), listed([])
    ('NBC, NCC', 'none')
    """
    return ", ".join(words) or "none"


def left_open(claims: Iterable[Claim], why: str) -> list[Claim]:
    """The claims without a verdict, for a study that is not complete yet."""
    return [
        replace(claim, holds=None, because=f"{why}; so far {claim.because}") for claim in claims
    ]
