"""The lines of shell and Python that make the same page from the same files."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

_FLAGS = {
    "title": "--title",
    "names": "--names",
    "utilities": "--utility",
    "classes": "--classes",
    "by": "--by",
    "rows": "--rows",
    "full": "--full",
    "form": "--form",
    "cluster": "--cluster",
    "na": "--na",
    "rule": "--rule",
    "prior": "--prior",
    "empty_cost": "--empty-cost",
    "unit": "--unit",
    "confidence": "--level",
}
_COLUMN_FLAGS = {
    "y_true": "--truth",
    "y_pred": "--pred",
    "set": "--set",
    "p:": "--proba-prefix",
    "id": "--id",
    "weight": "--weight",
    "count": "--count",
}


def reproduction(
    inputs: Sequence[str], output: str, settings: Mapping[str, Any], costs: str | None = None
) -> dict[str, list[str]]:
    r"""The lines that make the same page.

    Parameters
    ----------
    inputs : sequence of str
        The files or folders.
    output : str
        The page.
    settings : mapping
        Arguments of `wager.report.page` that differ from the defaults; ``utilities`` are names, and
        ``columns`` says what the files call their columns.
    costs : str, optional
        The file of the costs.

    Examples
    --------
    >>> found = reproduction(["a.csv", "b.csv"], "r.html", {"by": "user", "utilities": ["u65"]})
    >>> found["shell"]
    ['wager report a.csv b.csv -o r.html --utility u65 --by user']
    >>> print("\n".join(found["python"]))
    import wager
    wager.report.page(['a.csv', 'b.csv'], 'r.html', utilities=['u65'], by='user')
    """
    given = {k: v for k, v in settings.items() if v is not None and v is not False}
    # a name that begins with a dash would be read as an option; a dash alone is standard input
    inputs = [f"./{name}" if name.startswith("-") and name != "-" else name for name in inputs]
    return {
        "shell": [_shell(inputs, output, given, costs)],
        "python": _python(inputs, output, given, costs),
    }


def _shell(inputs: Sequence[str], output: str, given: Mapping[str, Any], costs: str | None) -> str:
    words = ["wager", "report", *inputs, "-o", output]
    for name, flag in _FLAGS.items():
        if name not in given:
            continue
        value = given[name]
        if name == "utilities":
            words += [word for utility in value for word in (flag, str(utility))]
        elif value is True:
            words.append(flag)
        elif name in ("names", "classes", "prior"):
            words += [flag, _comma_separated(value)]
        else:
            words += [flag, str(value)]
    for role, column in given.get("columns", {}).items():
        words += [_COLUMN_FLAGS[role], column]
    return shlex.join(words if costs is None else [*words, "--costs", costs])


def _comma_separated(values: Sequence[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(values)
    return out.getvalue()


def _python(
    inputs: Sequence[str], output: str, given: Mapping[str, Any], costs: str | None
) -> list[str]:
    order = [name for name in (*_FLAGS, "columns") if name in given and name != "unit"]
    arguments = [f"{list(inputs)!r}", f"{output!r}"]
    arguments += [f"{name}={given[name]!r}" for name in order if given[name] != {}]
    if costs is None:
        return ["import wager", f"wager.report.page({', '.join(arguments)})"]
    unit = f".with_unit({given['unit']!r})" if "unit" in given else ""
    return [
        "import wager",
        "from wager.costs import read_costs",
        f"costs = read_costs({costs!r}){unit}",
        f"wager.report.page({', '.join([*arguments, 'costs=costs'])})",
    ]
