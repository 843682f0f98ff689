"""``wager explain``: what a word of an output means, and where to read more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import (
    Format,
    OutputFile,
    OutputFormat,
    argument,
    option,
)
from wager.cli._render import Grid, Printout, printing

if TYPE_CHECKING:
    from wager.report import Topic

EXAMPLES = examples(
    """
    # all topics, by group
    wager explain
    # one of them: a measure, a test, a verdict, a learner, a column of a file
    wager explain u65
    wager explain "no significant difference"
    # the topics that mention a word
    wager explain --search calibration
    """
)

WIDTH = 80  # characters per line of the list


def _names(incomplete: str) -> list[str]:
    """The topics whose names begin with the text, for the shell's completion."""
    from wager.report import topics

    return [topic.name for topic in topics() if topic.name.startswith(incomplete)]


Name = Annotated[
    str | None,
    argument(
        "TOPIC",
        "A word of an output: a measure, utility, test, verdict, learner, decision rule or column, "
        "such as coverage, u65, break-even, NCC; without it, all are listed.",
        autocompletion=_names,
    ),
]
Search = Annotated[
    str | None, option("--search -s", "WORD", "List the topics that mention this word.")
]


def explain(
    topic: Name = None,
    search: Search = None,
    output_format: Format = OutputFormat.text,
    output: OutputFile = None,
) -> None:
    """Explain a word of an output: meaning, formula, use, source, and where to read more.

    The spelling is free: break-even, Break even and break_even are the same topic.
    """
    with one_sentence(), printing(output_format, output) as show:
        if topic is not None and search is not None:
            raise ValueError("name a topic, or look for a word with --search, not both")
        if topic is not None:
            show(_one_topic(topic))
        elif search is not None:
            show(_found(search))
        else:
            show(_all_topics())


def _all_topics() -> Printout:
    """The topics by group: their names in text, and their meanings in the other formats."""
    from wager.report import GROUPS, topics

    every = topics()
    by_group = {
        title: [topic for topic in every if topic.group == group]
        for group, (title, _) in GROUPS.items()
    }
    rows = [[title, t.name, t.meaning] for title, members in by_group.items() for t in members]

    def text() -> str:
        blocks = [f"{title}\n{_listed(members)}" for title, members in by_group.items()]
        ending = "`wager explain TOPIC` explains one, `--search WORD` finds those with a word."
        return "\n\n".join([*blocks, ending])

    return Printout(
        f"{len(rows)} topics", [Grid(["group", "topic", "meaning"], rows, "<<<")], text=text
    )


def _listed(members: Sequence[Topic]) -> str:
    from textwrap import fill

    names = ", ".join(topic.name.replace(" ", "\0") for topic in members)  # kept in one line
    lines = fill(names, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return lines.replace("\0", " ")


def _found(word: str) -> Printout:
    from wager.report import search_topics

    found = search_topics(word)
    if not found:
        raise ValueError(f"no topic mentions {word!r}: `wager explain` lists all topics")
    rows = [[topic.name, topic.meaning] for topic in found]
    number = f"{len(rows)} topic{'' if len(rows) == 1 else 's'}"
    grid = Grid(["topic", "meaning"], rows, align="<<", ends_in_text=True)
    return Printout(f"{number} with {word!r}", [grid])


def _one_topic(name: str) -> Printout:
    from wager.report import GROUPS, explain

    entry = explain(name)
    parts = {
        "meaning": entry.meaning,
        "formula": entry.formula,
        "range": entry.range,
        "use": entry.use,
        "source": entry.source,
        "page": f"docs/{entry.page}",
    }
    rows = [[label, text] for label, text in parts.items() if text]
    rows[-1][0] = "read more"
    grid = Grid(["topic", entry.name], rows, align="<<", ends_in_text=True)
    title = GROUPS[entry.group][0]
    return Printout(
        f"explanation of {entry.name}", [grid], data={"topic": entry.name, "group": title, **parts}
    )
