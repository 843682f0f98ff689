"""One table in the forms people paste it in: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from wager._text import number

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$",
    }
)  # fmt: skip


def to_markdown(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""A GitHub table; the first column to the left, the others to the right.

    Examples
    --------
    >>> print(to_markdown(["measure", "a|b"], [["u65", 0.5]]))
    | measure | a\|b |
    | :-- | --: |
    | u65 | 0.5000 |
    """
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    cells = [
        [_plain(cell).replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def to_latex(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""A tabular with the rules of booktabs.

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
        return " & ".join(_plain(cell).translate(_LATEX) for cell in cells) + r" \\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
            r"\toprule",
            line(header),
            r"\midrule",
            *(line(row) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def to_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""Comma-separated values with full digits, quoted where needed.

    Examples
    --------
    >>> to_csv(["file", "value"], [["a,b", 0.125]])
    'file,value\n"a,b",0.125'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def _plain(cell: Any) -> str:
    return cell if isinstance(cell, str) else number(cell)
