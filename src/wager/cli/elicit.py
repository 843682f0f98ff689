"""``wager elicit``: find out what sets of classes are worth to you, by a few questions."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wager.cli._errors import one_sentence

if TYPE_CHECKING:
    from wager.rewards.elicit import Session

_WORDS = {"s": "set", "c": "chance", "=": "same"}


class Kind(StrEnum):
    """How the utility is written down."""

    tabulated = "tabulated"
    quadratic = "quadratic"
    exponential = "exponential"


Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="The TOML file to write; `wager score -u FILE` takes it."),
]
Classes = Annotated[int, typer.Option("--classes", "-k", help="How many classes there are.")]
Sizes = Annotated[
    str | None,
    typer.Option("--sizes", help="Set sizes to ask about, as 2,3,10.", show_default=False),
]
Resolution = Annotated[
    float, typer.Option("--resolution", help="How closely to ask, from 0.02 to 0.5.")
]
KindOption = Annotated[
    Kind, typer.Option("--kind", help="A table of your values, or the nearest curve.")
]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Ask no question twice.")]


def elicit(
    classes: Classes,
    output: Output = Path("utility.toml"),
    sizes: Sizes = None,
    resolution: Resolution = 0.05,
    kind: KindOption = Kind.tabulated,
    no_check: NoCheck = False,
) -> None:
    """Ask what sets of classes are worth to you, and write the utility that follows.

    Answers may come from a file: one a line, s for the set, c for the chance, = if you do not care.
    """
    with one_sentence():
        from wager._atomic import replacing
        from wager.rewards.elicit import Session

        session = Session(classes, _numbers(sizes), resolution, not no_check)
        with replacing(output) as draft:  # refuses a place that cannot be written before asking
            draft.touch()
            found = _ask(session).result()
            found.write(draft, kind.value)
    typer.echo(f"\n{found}")
    if kind is not Kind.tabulated:
        typer.echo(found.fit(kind.value).verdict)
    typer.echo(f"{output}: {found.utility(kind.value).name}; score with -u {output}")


def _ask(session: Session) -> Session:
    """Put question after question, on the terminal or to a file of answers."""
    typer.echo("Which would you rather have?  s: the set, c: the chance, =: I do not care")
    while (question := session.question) is not None:
        number = len(session.answers) + 1
        try:
            word = input(f"{number:2}. {question} ").strip().lower()
        except EOFError:
            raise ValueError(
                f"the answers end before question {number}: nothing was written; give one a line"
            ) from None
        if not sys.stdin.isatty():
            typer.echo(word)  # what a file answers is shown as if it had been typed
        word = _WORDS.get(word, word)
        if word in _WORDS.values():
            session = session.answer(word)
        else:
            typer.echo(f"answer s, c or =, not {word!r}", err=True)
    return session


def _numbers(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--sizes takes whole numbers as 2,3,10, got {text!r}") from None
