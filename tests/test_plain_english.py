"""The wording of the source: phrases that readers of average English stumble over stay out."""

from __future__ import annotations

import re

import pytest

from tests.shared import PROJECT

SOURCE = PROJECT / "src"
# Each phrase has a plain replacement: "one row per unit", "is not valid TOML", "is available",
# "distinguished", "abstains", "children", "significantly", "which users", "has the true class".
PHRASES = re.compile(
    r"\b(?:a|one) (?:row|column|line|function|file|folder|module) an? "
    r"(?:unit|class|row|paper|picture|measure|fold|learner|key)\b"
    r"|\bis no (?:TOML|JSON|ARFF|UTF-8|number|list|file|folder)\b"
    r"|\b(?:be|is|are) had\b|\btold apart\b|\bhold(?:s|ing)? back\b"
    r"|\bsons?\b|\bfathers?\b|\bsurely\b|\bfor whom\b|\bholds? the tru(?:th|e)\b"
    r"|\bwhat came out\b|\bstands? twice\b|\bspeaks? of\b|\btorn\b|\brooms?\b",
    re.IGNORECASE,
)
PACKAGES = sorted(path.parent for path in SOURCE.glob("*/*/__init__.py"))


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda path: path.name)
def test_the_source_is_in_plain_english(folder):
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {match[0]}"
        for path in sorted(folder.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in PHRASES.finditer(line)
    ]
    assert not found
