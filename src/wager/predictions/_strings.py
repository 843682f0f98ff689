r"""Sets written as text: labels joined by a separator, as in ``a|b``.

A separator inside a label is written ``\|``.  Elsewhere a backslash has no special meaning, except
that backslashes of a label directly before a separator are doubled.  So ``a\|b`` is the label
``a|b``, ``a\\|b`` are the two labels ``a\`` and ``b``, and ``a\b`` is the label ``a\b``.  Empty
text is the empty set.  A separator alone is the set that contains only the empty label: two empty
labels, which count once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

__all__ = ["join_labels", "separator_in", "split_labels"]

_SEPARATORS = ("|", ";", ",", "/", "+", "&", "\t", " ")


def split_labels(text: str, sep: str = "|") -> list[str]:
    r"""The labels of a set that is written as text.

    Examples
    --------
    >>> split_labels("a|b"), split_labels(""), split_labels(r"a\|b|c")
    (['a', 'b'], [], ['a|b', 'c'])
    """
    if not text:
        return []
    if "\\" + sep not in text:
        return text.split(sep)
    labels, label, start = [], "", 0
    for found in re.finditer(r"(\\*)" + re.escape(sep), text):
        slashes, escaped = divmod(len(found[1]), 2)
        label += text[start : found.start()] + "\\" * slashes
        if escaped:
            label += sep
        else:
            labels.append(label)
            label = ""
        start = found.end()
    return [*labels, label + text[start:]]


def join_labels(labels: Iterable[str], sep: str = "|") -> str:
    r"""A set as text; the inverse of `split_labels`.

    Examples
    --------
    >>> print(join_labels(["a", "b|c"]))
    a|b\|c
    >>> join_labels([]), join_labels([""])
    ('', '|')
    """
    written = [re.sub(r"(\\*)" + re.escape(sep), r"\1\1\\" + sep, label) for label in labels]
    ended = [re.sub(r"(\\+)\Z", r"\1\1", label) for label in written[:-1]]
    return sep if written == [""] else sep.join([*ended, *written[-1:]])


def separator_in(label: str, classes: Collection[str]) -> str | None:
    """The separator in a label that is in fact several classes, joined by a character.

    Examples
    --------
    >>> separator_in("a;b", {"a", "b"}), separator_in("a;b", {"a;b", "a"})
    (';', None)
    """
    if label in classes:
        return None
    bare = re.sub(r"[\[\]{}()'\"]", "", label)
    for sep in _SEPARATORS:
        labels = [part.strip() for part in bare.split(sep)]
        if len(labels) > 1 and all(part in classes for part in labels):
            return sep
    return None
