"""Code blocks: their titles become captions, and ``csv`` is a known language.

A block that begins with ```` ```toml title="plan.toml" ```` gets the caption ``plan.toml``.
"""

from __future__ import annotations

import re
from typing import Any

from pygments.lexers.special import TextLexer

_TITLED = re.compile(r'^(```+)(\w+)[ \t]+title="([^"]+)"[ \t]*$', re.MULTILINE)


def setup(app: Any) -> dict[str, bool]:
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", _caption)
    return {"parallel_read_safe": True}


def _caption(app: Any, page: str, source: list[str]) -> None:
    source[0] = _TITLED.sub(r"\1{code-block} \2\n:caption: \3\n", source[0])
