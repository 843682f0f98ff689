r"""A set of labels as one piece of text: ``a|b``, with a bar inside a label written ``\|``.

The empty text is the empty set.  A backslash before the separator or before another backslash
makes that character part of the label; any other backslash stands for itself.  The set whose only
label is the empty text is a lone separator: two empty labels, and a repeated label counts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["join_labels", "split_labels"]


def split_labels(text: str, sep: str = "|") -> list[str]:
    r"""The labels that a text names, in its order.

    Examples
    --------
    >>> split_labels("a|b"), split_labels(r"a\|b|c"), split_labels("")
    (['a', 'b'], ['a|b', 'c'], [])
    """
    if not text:
        return []
    if "\\" not in text:
        return text.split(sep)
    bar = re.escape(sep)
    label = rf"((?:\\\\|\\{bar}|(?!{bar}).)*)"  # escaped characters, or anything but a separator
    labels = re.findall(rf"(?:^|{bar}){label}", text, flags=re.DOTALL)
    return [re.sub(rf"\\(\\|{bar})", r"\1", label) for label in labels]


def join_labels(labels: Iterable[str], sep: str = "|") -> str:
    r"""The text that `split_labels` takes apart again.

    Examples
    --------
    >>> join_labels(["a|b", "c"])
    'a\\|b|c'
    >>> join_labels([]), join_labels([""])
    ('', '|')
    """
    escaped = [label.replace("\\", "\\\\").replace(sep, "\\" + sep) for label in labels]
    return sep if escaped == [""] else sep.join(escaped)
