"""Which columns of a file are probably the truth or the predictions, for error messages.

The names are those that R, scikit-learn, Weka, SAS, MAPIE and spreadsheets tend to use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

__all__ = [
    "advise_predictions",
    "misspelt",
    "suggest_column",
    "suggest_predictions",
    "suggest_truth",
]

_TRUTHS = ("truth", "target", "label", "actual", "y", "true_label", "true_class", "ytrue", "class")
_LABELS = (
    *("y_hat", "yhat", "ypred", "pred", "predicted", "prediction", "predicted_class"),
    *(".pred_class", "pred_class", "predicted_label", "pred_label"),
)
_SETS = ("prediction_set", "predicted_set", "pred_set", "sets", "y_set", "prediction_sets")
_PREFIXES = ("prob_", "proba_", "prob.", "p_", "p.", "probability_", ".pred_", "pred_proba_")
_ROLES = ("y_true", "y_pred", "set", "mask")
_CLASS_COLUMNS = ("in:", "p:", "lower:", "upper:", "m:", "class_1")
_WEKA_TEXT = re.compile(r"=== Predictions|inst#\s+actual\s+predicted")


def suggest_truth(names: Sequence[str]) -> str:
    """What to do about a file without a column ``y_true``.

    Examples
    --------
    >>> suggest_truth(["Truth", "set"])
    'name the column of true classes with --truth Truth (columns={"y_true": "Truth"})'
    """
    if names and _WEKA_TEXT.search(names[0]):
        return (
            "this is Weka's output as plain text; let Weka write CSV (-classifications "
            "weka.classifiers.evaluation.output.prediction.CSV) and score it with --truth actual "
            "--pred predicted"
        )
    found = _first(_TRUTHS, names) or "COLUMN"
    hint = f'name the column of true classes with --truth {found} (columns={{"y_true": "{found}"}})'
    return hint if found != "COLUMN" else f"{hint}, or rename it to y_true"


def suggest_column(name: str, role: str, names: Sequence[str]) -> str:
    """What to do about a column that was named but is not in the file.

    Examples
    --------
    >>> suggest_column("label", "y_true", ["y_true", "set"])
    'did you mean y_true?'
    >>> suggest_column("ward", "cluster", ["y_true", "set"])
    'choose one of these columns'
    """
    spelled = {other.lower(): other for other in reversed(names)}
    close = get_close_matches(name.lower(), spelled, n=1, cutoff=0.8)
    known = (role, *_TRUTHS) if role == "y_true" else (role,)
    found = spelled[close[0]] if close else _first(known, names)
    return "choose one of these columns" if found is None else f"did you mean {found}?"


def suggest_predictions(names: Sequence[str]) -> str | None:
    """The option that names the predictions of a file without a known column; None if unclear."""
    for option, role, known in (("--set", "set", _SETS), ("--pred", "y_pred", _LABELS)):
        found = _first(known, names)
        if found:
            return f'{option} {found} (columns={{"{role}": "{found}"}})'
    for prefix in _PREFIXES:
        alike = [name for name in names if name.lower().startswith(prefix)]
        if len(alike) > 1:
            found = alike[0][: len(prefix)]
            return f'--proba-prefix {found} (columns={{"p:": "{found}"}})'
    return None


def misspelt(names: Sequence[str], role: str, option: str) -> str | None:
    """Advice about a column whose name is almost that of a role; None if there is none.

    Examples
    --------
    >>> misspelt(["y_true", "y_perd"], "y_pred", "--pred")
    'did you mean y_pred? Rename y_perd, or use --pred y_perd'
    """
    others = [name for name in names if name not in _ROLES]
    close = get_close_matches(role, others, n=1, cutoff=0.8)
    return f"did you mean {role}? Rename {close[0]}, or use {option} {close[0]}" if close else None


def advise_predictions(names: Sequence[str]) -> str | None:
    """Advice about the predictions of a file that has no ``y_true`` either; None if there is none.

    Examples
    --------
    >>> advise_predictions(["truth", "prediction"])
    'name the predictions with --pred prediction (columns={"y_pred": "prediction"})'
    >>> advise_predictions(["truth", "set"])
    """
    if any(name in _ROLES or name.startswith(_CLASS_COLUMNS) for name in names):
        return None
    hint = suggest_predictions(names)
    return None if hint is None else f"name the predictions with {hint}"


def _first(known: Sequence[str], names: Sequence[str]) -> str | None:
    """The first known name that a file has, in its own spelling."""
    spelled = {name.lower().replace(" ", "_"): name for name in reversed(names)}
    return next((spelled[name] for name in known if name in spelled), None)
