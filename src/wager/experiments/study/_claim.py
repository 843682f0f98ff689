"""Conclusions of papers with our verdicts, and answers to questions of our own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from wager._visible import brief

__all__ = ["UNFINISHED", "Claim", "Finding", "Verdict", "left_open", "listed"]

UNFINISHED = "not finished"  # instead of a verdict, while results are missing


class Verdict(StrEnum):
    """What became of a conclusion of a paper when its experiment was repeated.

    Examples
    --------
    >>> [str(verdict) for verdict in Verdict][:2]
    ['reproduced', 'reproduced under a stated reading']
    """

    REPRODUCED = "reproduced"
    READING = "reproduced under a stated reading"
    CONTRADICTION = "the paper contradicts itself"
    NOT_REPRODUCED = "not reproduced"
    UNCHECKABLE = "cannot be checked"


@dataclass(frozen=True)
class Claim:
    """A conclusion of a paper, and our verdict on it.

    Attributes
    ----------
    where : str
        The year of the paper and the place in it, for example "2012, 9.2, Table 6".
    says : str
        The conclusion in plain words.
    verdict : Verdict or None
        None if the results do not suffice for a verdict yet.
    because : str
        The evidence: numbers with their uncertainty.
    quote : str
        A few words of the paper, as printed.
    reading : str
        What we assumed where the paper is silent or has several meanings; a claim that is
        reproduced under a stated reading must have one.

    Examples
    --------
    >>> claim = Claim("2012, 9.2", "the four differ under u50", Verdict.REPRODUCED, "p = 0.0004")
    >>> claim.year, str(claim.verdict)
    ('2012', 'reproduced')
    """

    where: str
    says: str
    verdict: Verdict | None
    because: str
    quote: str = ""
    reading: str = ""

    def __post_init__(self) -> None:
        if self.verdict is not None and not isinstance(self.verdict, Verdict):
            raise TypeError(f"verdict must be a Verdict or None, got {brief(self.verdict)}")
        if self.verdict is Verdict.READING and not self.reading:
            raise ValueError(f"{self.where}: {self.verdict!s}, but no reading is stated")

    @classmethod
    def checked(
        cls,
        where: str,
        says: str,
        holds: bool | None,
        because: str,
        quote: str = "",
        reading: str = "",
    ) -> Claim:
        """A claim that was found to hold or not.

        Examples
        --------
        >>> claim = Claim.checked("2012, 9.2", "NCC gains most", True, "+4.65", reading="medians")
        >>> str(claim.verdict)
        'reproduced under a stated reading'
        """
        good = Verdict.READING if reading else Verdict.REPRODUCED
        verdict = {True: good, False: Verdict.NOT_REPRODUCED, None: None}[holds]
        return cls(where, says, verdict, because, quote, reading)

    @property
    def year(self) -> str:
        """The year of the paper, which identifies it."""
        return self.where.partition(",")[0]


@dataclass(frozen=True)
class Finding:
    """The answer to a question of our own, which no paper answers.

    Attributes
    ----------
    question, answer : str
    because : str
        The evidence: numbers with their uncertainty.
    """

    question: str
    answer: str
    because: str


def listed(words: Iterable[str]) -> str:
    """Words joined by commas; "none" if there are no words.

    Examples
    --------
    >>> listed(["NBC", "NCC"]), listed([])
    ('NBC, NCC', 'none')
    """
    return ", ".join(words) or "none"


def left_open(claims: Iterable[Claim], why: str) -> list[Claim]:
    """The claims without a verdict, for results that do not suffice for one."""
    return [
        replace(claim, verdict=None, because=f"{why}; so far {claim.because}") for claim in claims
    ]
