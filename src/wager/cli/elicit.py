"""``wager elicit``: find the utility that suits you by answering a few questions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    numbers,
    option,
    output_option,
)
from wager.cli._say import say

if TYPE_CHECKING:
    from wager.rewards.elicit import Session

EXAMPLES = examples(
    """
    # answer questions about sets of up to 3 classes
    wager elicit -k 3 -o mine.toml
    # ask about three set sizes only, and fit a quadratic utility
    wager elicit -k 10 --sizes 2,3,10 --kind quadratic
    # score by your own utility
    wager score predictions.csv -u mine.toml
    """
)

_ANSWERS = {"s": "set", "c": "chance", "=": "same"}

NClasses = Annotated[
    int,
    option("--n-classes --classes -k", "NUMBER", "Number of classes."),
]
Output = Annotated[
    Path, output_option("TOML file for the utility; `wager score -u FILE` reads it.")
]
Sizes = Annotated[
    str | None,
    option("--sizes", "NUMBERS", "Set sizes to ask about, such as 2,3,10."),
]
Resolution = Annotated[
    float,
    option(
        "--resolution",
        "NUMBER",
        "Width of the interval at which a set size needs no more questions, from 0.02 to 0.5.",
    ),
]
Kind = Annotated[
    Literal["tabulated", "quadratic", "exponential"],
    option(
        "--kind",
        "tabulated|quadratic|exponential",
        "Write a table of your values, or the curve that fits your answers best.",
    ),
]
NoCheck = Annotated[
    bool, typer.Option("--no-check", help="Do not repeat a question to check your answers.")
]
Level = Annotated[
    float,
    option("--level --confidence", "NUMBER", "Probability that an interval contains your value."),
]


def elicit(
    classes: NClasses,
    output: Output = Path("utility.toml"),
    sizes: Sizes = None,
    resolution: Resolution = 0.05,
    kind: Kind = "tabulated",
    no_check: NoCheck = False,
    level: Level = 0.95,
) -> None:
    """Ask what sets of classes are worth to you, and write your utility to a file.

    The questions get harder on purpose: they show how precise your answers are, and so how
    wide the intervals of your values must be.  Answers can also come from standard input, one per
    line: s for the set, c for the chance, = if you are indifferent.
    """
    with one_sentence():
        from wager._atomic import replacing
        from wager.rewards import get_utility
        from wager.rewards.elicit import Session

        if output.suffix.lower() != ".toml":
            raise ValueError(f"{output}: utilities are read from files that end in .toml")
        asked = numbers(sizes, int, "--sizes", "2,3,10")
        session = Session(classes, asked, resolution, not no_check, level=level)
        with replacing(output) as draft:  # refuses a file that cannot be written before asking
            draft.touch()
            found = _ask(session).result()
            found.write(draft, kind, label=output.stem)
    say(f"\n{found}")
    if kind != "tabulated":
        say(found.fit(kind).verdict)
    name = get_utility(output).name
    say(f"wrote {output}, the utility {name}: score with -u {output}")


def _ask(session: Session) -> Session:
    """Ask one question after another, and return the session with all answers."""
    say("Which would you prefer?  s: the set, c: the chance, =: I am indifferent")
    twice = "; one per set size comes twice" if session.check else ""
    say(f"The questions become close calls: follow your first impression{twice}.")
    while (question := session.question) is not None:
        number = len(session.answers) + 1
        try:
            answer = input(f"{number:2}. {question} ").strip().lower()
        except EOFError:
            raise ValueError(
                f"the answers end before question {number}, so nothing was written: give one "
                "answer per line"
            ) from None
        if not sys.stdin.isatty():
            say(answer)  # show an answer from a file as if it had been typed
        answer = _ANSWERS.get(answer, answer)
        if answer in _ANSWERS.values():
            session = session.answer(answer)
        else:
            say(f"answer s, c or =, not {answer!r}", err=True)
    return session
