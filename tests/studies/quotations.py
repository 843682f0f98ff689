"""Whether the quotations of claims are in the papers."""

import re

from tests.shared import shared

PAPERS = {"2001": "001", "2004": "002"}


def not_in_the_paper(claims):
    """The quotations that are not in the text of the paper; skips where the texts are absent."""
    folder = shared("seeds")
    texts = {
        year: _plain(next(folder.glob(f"{number}_*.txt")).read_text(encoding="utf-8"))
        for year, number in PAPERS.items()
    }
    return [
        claim.quote
        for claim in claims
        if _plain(claim.quote) not in texts[claim.where.partition(",")[0]]
    ]


def _plain(text):
    """Text without marks of emphasis and with single spaces."""
    return re.sub(r"\s+", " ", text.replace("*", "").replace("’", "'"))
