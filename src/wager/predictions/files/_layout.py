"""Which column of a prediction file says what.

A file has a column ``y_true`` and states its predictions in one of seven forms, told by the names
of the columns; ``weight``, ``group`` and ``id`` may stand beside them, and so may any other column,
which is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from wager.predictions.files._source import Source

__all__ = ["FORMS", "SET_FORMS", "Layout", "find_layout", "stated_forms"]


class Form(NamedTuple):
    """A way to state predictions: the column, or what the names of its columns begin with."""

    column: str
    meaning: str
    per_class: bool = False


FORMS: dict[str, Form] = {
    "label": Form("y_pred", "one label a row"),
    "set": Form("set", "the labels of the set, joined by | or as a list"),
    "mask": Form("mask", "the set as an unsigned integer, bit i for class i"),
    "in": Form("in:", "0 or 1 for each class", per_class=True),
    "p": Form("p:", "the probability of each class", per_class=True),
    "interval": Form("lower:", "lower and upper probabilities of each class", per_class=True),
    "m": Form("m:", "the membership value of each class", per_class=True),
}
SET_FORMS = ("label", "set", "mask", "in")
_UPPER = "upper:"


@dataclass(frozen=True)
class Layout:
    """The columns of a file by their part in it, as places 0, 1, ...

    Parameters
    ----------
    form : {"label", "set", "mask", "in", "p", "interval", "m"}
        How predictions are stated.
    truth : int
        The place of ``y_true``.
    columns : tuple of int
        The places of the predictions; the lower bounds where there are intervals.
    uppers : tuple of int
        The places of the upper bounds.
    labels : tuple of str
        The classes that the names of `columns` speak of.
    weight, group, id : int or None
        The places of what stands beside them.
    """

    form: str
    truth: int
    columns: tuple[int, ...]
    uppers: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    weight: int | None = None
    group: int | None = None
    id: int | None = None


def stated_forms(source: Source) -> list[str]:
    """The forms in which a file states its predictions: `FORMS` by their names."""
    return [key for key, form in FORMS.items() if _has(source.names, form)]


def find_layout(source: Source, form: str | None = None, by: str | None = None) -> Layout:
    """Tell the parts of a file by the names of its columns.

    Parameters
    ----------
    source : Source
    form : str, optional
        The form to read where a file states its predictions in several.
    by : str, optional
        The column that holds the group of a row; ``group`` by default, if there is one.
    """
    path, names = source.path, source.names
    truth = _place(source, "y_true")
    if truth is None:
        raise ValueError(f"{path}: there is no column y_true among {_some(names)}: name it so")
    found = stated_forms(source)
    if form is not None and form not in FORMS:
        raise ValueError(f"{form!r} is no form of predictions: choose from {', '.join(FORMS)}")
    if form is not None and form not in found:
        raise ValueError(f"{path}: there is no column {FORMS[form].column} among {_some(names)}")
    if not found:
        raise ValueError(
            f"{path}: none of the columns {_some(names)} holds predictions: it needs y_pred, set, "
            "mask, in:<class>, p:<class>, lower:<class> and upper:<class>, or m:<class>"
        )
    if form is None and len(found) > 1:
        raise ValueError(
            f"{path}: predictions are stated in {len(found)} forms "
            f"({', '.join(FORMS[key].column for key in found)}): choose one with form= (--form "
            f"{' or '.join(found)})"
        )
    chosen = form or found[0]
    group = _place(source, "group" if by is None else by)
    if by is not None and group is None:
        raise ValueError(f"{path}: there is no column {by} among {_some(names)}")
    columns, uppers, labels = _prediction_columns(source, chosen)
    return Layout(
        chosen,
        truth,
        columns,
        uppers,
        labels,
        weight=_place(source, "weight"),
        group=group,
        id=_place(source, "id"),
    )


def _prediction_columns(
    source: Source, form: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    """The places of the predictions and of the upper bounds, and the classes they speak of."""
    if not FORMS[form].per_class:
        place = _place(source, FORMS[form].column)
        assert place is not None
        return (place,), (), ()
    labels, columns = _class_columns(source, FORMS[form].column)
    if form != "interval":
        return columns, (), labels
    upper_labels, uppers = _class_columns(source, _UPPER)
    for missing in sorted(set(labels) ^ set(upper_labels)):
        have, want = ("lower:", _UPPER) if missing in labels else (_UPPER, "lower:")
        raise ValueError(f"{source.path}: there is a column {have}{missing} but no {want}{missing}")
    by_label = dict(zip(upper_labels, uppers, strict=True))
    return columns, tuple(by_label[label] for label in labels), labels


def _place(source: Source, name: str) -> int | None:
    if source.names.count(name) > 1:
        raise ValueError(f"{source.path}: the column {name} occurs more than once: keep one")
    return source.names.index(name) if name in source.names else None


def _has(names: tuple[str, ...], form: Form) -> bool:
    if not form.per_class:
        return form.column in names
    prefixes = (form.column, _UPPER) if form.column == "lower:" else (form.column,)
    return any(name.startswith(prefixes) for name in names)


def _class_columns(source: Source, prefix: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    places = [i for i, name in enumerate(source.names) if name.startswith(prefix)]
    for place in places:
        _place(source, source.names[place])  # each of them once
    labels = tuple(source.names[place].removeprefix(prefix) for place in places)
    return labels, tuple(places)


def _some(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
