"""The forms in which a file may state predictions: one class per form, in one module each.

To add a form, write its class (see `Form`) and list it here.
"""

from __future__ import annotations

from typing import Any

from wager._tables import is_sparse
from wager._visible import brief
from wager.predictions._top_k import TopKProbabilities
from wager.predictions.files._source import (
    FileSource as FileSource,
)
from wager.predictions.files._suggestions import misspelt, suggest_predictions
from wager.predictions.files.forms._form import Form, Kind, Rows, texts
from wager.predictions.files.forms._indicator import (
    IndicatorForm as IndicatorForm,
)
from wager.predictions.files.forms._interval import (
    IntervalForm as IntervalForm,
)
from wager.predictions.files.forms._label import (
    LabelForm as LabelForm,
)
from wager.predictions.files.forms._mask import (
    MaskForm as MaskForm,
)
from wager.predictions.files.forms._membership import (
    MembershipForm as MembershipForm,
)
from wager.predictions.files.forms._probability import (
    ProbabilityForm as ProbabilityForm,
)
from wager.predictions.files.forms._set import (
    ListForm as ListForm,
    SetForm as SetForm,
)
from wager.predictions.files.forms._top_k import (
    TopKForm as TopKForm,
)

__all__ = ["FORMS", "Form", "Kind", "Rows", "stated_forms", "texts", "writer_of"]

FORMS: dict[str, type[Form]] = {
    form.name: form
    for form in (
        LabelForm,
        SetForm,
        MaskForm,
        IndicatorForm,
        ProbabilityForm,
        TopKForm,
        IntervalForm,
        MembershipForm,
    )
}
_WRITERS: tuple[type[Form], ...] = (
    LabelForm,
    SetForm,
    ListForm,
    MaskForm,
    IndicatorForm,
    ProbabilityForm,
    IntervalForm,
    MembershipForm,
)


def stated_forms(source: FileSource, form: str | None = None) -> list[type[Form]]:
    """The forms in which a file states predictions, in the order of `FORMS`; at least one.

    Parameters
    ----------
    source : FileSource
        The file.
    form : str, optional
        The name of the only form to look for.
    """
    stated = [cls for cls in FORMS.values() if cls.is_stated(source)]
    if form is not None:
        if form not in FORMS:
            raise ValueError(
                f"unknown form of predictions {brief(form)}: choose from {', '.join(FORMS)}"
            )
        if FORMS[form] not in stated:
            raise ValueError(
                f"{source.path}: there is no column {FORMS[form].heading} among {source.some_names}"
            )
        stated = [FORMS[form]]
    if not stated:
        source.refuse_absent()  # a column that was named is most likely misspelt
        usages = ", ".join(cls.usage for cls in FORMS.values())
        hint = suggest_predictions(source.shown_names)
        cure = f"add one of {usages}" if hint is None else f"name them with {hint}"
        problem = ValueError(
            f"{source.path}: none of the columns {source.some_names} contains predictions: {cure}"
        )
        note = (
            misspelt(source.shown_names, "y_pred", "--pred") or "name a column with --pred or --set"
        )
        if hint is None:
            problem.add_note(note)
        raise problem
    return stated


def writer_of(argument: str, form: str, predictions: Any = None) -> type[Form]:
    """The form in which `write_predictions` writes one of its arguments.

    Parameters
    ----------
    argument : str
        The argument, such as ``sets``.
    form : str
        The name of the form, for an argument that can be written in several.
    predictions : object
        The predictions: probabilities of a few classes in each row are listed.
    """
    if argument == TopKForm.argument and (
        isinstance(predictions, TopKProbabilities) or is_sparse(predictions)
    ):
        return TopKForm
    forms = {cls.name: cls for cls in _WRITERS if cls.argument == argument}
    if len(forms) == 1:
        return next(iter(forms.values()))
    if form not in forms:
        raise ValueError(f"form must be one of {', '.join(forms)}, got {brief(form)}")
    return forms[form]
