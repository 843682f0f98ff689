"""The page as text: a dictionary in a template, with one script and one stylesheet of ours.

The page needs no other file and no network.  Its Content-Security-Policy forbids every request and
allows the script and the stylesheet by their hashes alone, so that no name of a class, file or
group can ever run as code.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from wager._tables import format_number
from wager._visible import visible
from wager.report.page._script import script

_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&"})


def render(data: Mapping[str, Any], *, title: str, summary: Sequence[Any] = ()) -> str:
    """The page that shows a dictionary.

    Parameters
    ----------
    data : mapping
        What the page shows; plain data.
    title : str
        The heading; control characters are spelt out in it.
    summary : sequence of (header, rows)
        Tables that are shown where scripts do not run.
    """
    text, style = script(), _read("style.css")
    page = _template().render(
        data=embedded(data),
        policy=_policy(text, style),
        script=text,
        style=style,
        summary=[([visible(name) for name in header], rows) for header, rows in summary],
        title=visible(title),
    )
    # names of files may contain halves of characters, which UTF-8 cannot write
    return str(page).encode("utf-8", "replace").decode("utf-8")


def embedded(data: Any) -> str:
    r"""Plain data as JSON that no text inside can end or escape from.

    Examples
    --------
    >>> print(embedded({"class": "</script>"}))
    {"class":"\u003c/script\u003e"}
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["number"] = format_number
    return environment.from_string(_read("page.html"))


def _policy(script: str, style: str) -> str:
    """What the browser may load: our script, our stylesheet, and pictures made on the page."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return files("wager.report.page").joinpath(name).read_text(encoding="utf-8")
