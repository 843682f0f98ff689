"""Tables in Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from wager._tables import format_number, require_kind
from wager._visible import safe_cell, visible

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$",
        "∘": r"$\circ$", "•": r"$\bullet$", "−": "$-$",
    }
)  # fmt: skip

_SIGN = re.compile(r"(?<![^\s(])-(?=\d)")  # the minus of a number, not a hyphen or a range

# Emphasis, code, links and escapes of Markdown; underscores within words need no escape.
_MARKS = re.compile(r"[\\`*~]|\](?=\()|(?<![^\W_])_|_(?![^\W_])")
_HTML = re.compile(r"<(?=[A-Za-z/!?])|&(?=#?\w+;)")


def to_markdown(
    header: Sequence[str], rows: Sequence[Sequence[Any]], align: str | None = None
) -> str:
    r"""A table in GitHub's Markdown.

    ``align`` has one ``<`` or ``>`` per column; by default the first column is aligned left, the
    others right.

    Examples
    --------
    >>> print(to_markdown(["measure", "a|b"], [["u65", 0.5]]))
    | measure | a\|b |
    | :-- | --: |
    | u65 | 0.5000 |
    """
    sides = [":--" if side == "<" else "--:" for side in _alignment(header, align)]
    lines = [header, sides, *rows]
    cells = [
        [markdown_text(_plain(cell)).rstrip().replace("|", "\\|") for cell in line]
        for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def markdown_text(text: str) -> str:
    r"""Escape text so that Markdown shows it unchanged: no emphasis, code, links or HTML.

    Examples
    --------
    >>> print(markdown_text("<b>*a* my_model _x_, p < 2/3"))
    &lt;b>\*a\* my_model \_x\_, p < 2/3
    """
    require_kind(text, "text", str)
    return _HTML.sub(_as_entity, _MARKS.sub(r"\\\g<0>", _one_line(text)))


def _as_entity(found: re.Match[str]) -> str:
    return "&lt;" if found[0] == "<" else "&amp;"


def _one_line(text: str) -> str:
    return visible(" ".join(text.splitlines()))


def to_latex(header: Sequence[str], rows: Sequence[Sequence[Any]], align: str | None = None) -> str:
    r"""A LaTeX tabular with the rules of booktabs; ``align`` as in `to_markdown`.

    Examples
    --------
    >>> print(to_latex(["measure", "50%"], [["u65", 0.5]]))
    \begin{tabular}{lr}
    \toprule
    measure & 50\% \\
    \midrule
    u65 & 0.5000 \\
    \bottomrule
    \end{tabular}
    """

    def line(cells: Sequence[Any]) -> str:
        text = " & ".join(latex_text(_plain(cell)) for cell in cells) + r" \\"
        # after \\ and \midrule, a bracket or a star would be read as their argument
        return "{}" + text if text.lstrip().startswith(("[", "*")) else text

    columns = "".join("l" if side == "<" else "r" for side in _alignment(header, align))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            line(header),
            r"\midrule",
            *(line(row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def latex_text(text: str) -> str:
    r"""Escape text so that LaTeX shows it unchanged; the sign of a number becomes a minus.

    Examples
    --------
    >>> print(latex_text("a_b: -0.5 to 50%"))
    a\_b: $-$0.5 to 50\%
    """
    return _SIGN.sub("$-$", _one_line(text).translate(_LATEX))


def latex_note(sentence: str) -> str:
    r"""A sentence in small type, for below a table; empty if there is none.

    Examples
    --------
    >>> print(latex_note("• worse than a_b"))
    \par\smallskip{\footnotesize $\bullet$ worse than a\_b\par}
    """
    if not sentence:
        return ""
    require_kind(sentence, "sentence", str)
    return rf"\par\smallskip{{\footnotesize {latex_text(sentence)}\par}}"


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""Comma-separated values with all digits, quoted where needed.

    Text that a spreadsheet would take for a formula, such as ``=1+2``, gets an apostrophe in front.

    Examples
    --------
    >>> to_csv(["file", "value"], [["a,b", 0.125]])
    'file,value\n"a,b",0.125'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in (header, *rows):
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in line])
    return out.getvalue().rstrip("\n")


def _alignment(header: Sequence[str], align: str | None) -> str:
    return align or "<" + ">" * (len(header) - 1)


def _plain(cell: Any) -> str:
    return cell if isinstance(cell, str) else format_number(cell)
