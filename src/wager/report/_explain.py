"""What a word of an output means: the topic of that name, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from wager import rewards
from wager._visible import brief
from wager.report._described import docstring_topics, measure_topics, property_topics
from wager.report._explain_utilities import UTILITIES, explain_utility
from wager.report._quantities import QUANTITIES
from wager.report._terms import TERMS
from wager.report._topic import GROUPS, Topic, squeezed
from wager.rewards import Measure

# The measures of all packages; those that users register are included.
MEASURES: Mapping[str, Measure] = rewards.MEASURES

_SHORT = 3  # letters of a word that is close to too many others
_PREFIXES = ("in:", "p:", "lower:", "upper:", "m:", "true:", "cost:")  # a class or number follows


def topics() -> list[Topic]:
    """Every topic, by group and in the order in which each group was written."""
    return sorted(
        [*_topics_at_hand(), *docstring_topics()], key=lambda t: list(GROUPS).index(t.group)
    )


def _topics_at_hand() -> list[Topic]:
    """The topics for which no further package must be loaded."""
    utilities = [topic for name in UTILITIES if (topic := explain_utility(name)) is not None]
    return [*measure_topics(), *QUANTITIES, *utilities, *TERMS, *property_topics()]


def explain(name: str) -> Topic:
    """What a word means, how it is computed, when to look at it, and its source.

    Parameters
    ----------
    name : str
        A measure, a utility, a test, a verdict, a learner, a decision rule, a column of a file or
        another word that an output mentions, in any spelling: ``"Mean set-size"``, ``"u65"``,
        ``"break-even"``, ``"NCC"``.

    Examples
    --------
    >>> explain("Mean set-size").formula
    'mean of k'
    >>> explain("f1").formula
    'mean of u(hit / k) with u(x) = 2 x / (x + 1)'
    >>> explain("Friedman's test").name
    'friedman'
    """
    at_hand = _index(_topics_at_hand())
    found = _find(name, at_hand) or explain_utility(name)
    found = found or at_hand.get(squeezed(name.partition(":")[0]))  # certainty_equivalent:u65
    if found is not None:
        return found
    known = _index(topics())
    found = _find(name, known)
    if found is not None:
        return found
    wanted = squeezed(name)
    close = [
        word for word in get_close_matches(wanted, known, n=3, cutoff=0.75) if len(word) > _SHORT
    ]
    nearest = list(dict.fromkeys(known[word].name for word in close))
    hint = (
        f"did you mean {' or '.join(nearest)}?"
        if nearest
        else "`wager explain` lists all topics, and `wager explain --search WORD` looks for a word"
    )
    raise ValueError(f"there is no topic {brief(name)}: {hint}")


def search_topics(word: str) -> list[Topic]:
    """The topics that mention a word, those with the word in their names first.

    Examples
    --------
    >>> [topic.name for topic in search_topics("brier")][:1]
    ['brier']
    """
    wanted = squeezed(word)
    if not wanted:
        raise ValueError("--search needs a word, such as calibration")
    named, mentioned = [], []
    for topic in topics():
        if any(wanted in squeezed(name) for name in topic.words):
            named.append(topic)
        elif any(wanted in squeezed(text) for text in (topic.meaning, topic.formula, topic.use)):
            mentioned.append(topic)
    return named + mentioned


def _index(known: Sequence[Topic]) -> dict[str, Topic]:
    """The topic of every name and of every other word; names come first, and so do measures."""
    found: dict[str, Topic] = {}
    for topic in known:
        found.setdefault(squeezed(topic.name), topic)
    for topic in known:
        for alias in topic.aliases:
            found.setdefault(squeezed(alias), topic)
    return found


def _find(name: str, known: Mapping[str, Topic]) -> Topic | None:
    return next((known[word] for word in _spellings(name) if word in known), None)


def _spellings(name: str) -> list[str]:
    """How a name may be written in the index: as it is, without "test", or without its class."""
    plain = squeezed(name)
    without = re.sub(r"s?test$", "", plain)  # Friedman's test, friedman-test
    numbered = ["class1"] if re.fullmatch(r"(class|p)\d+", plain) else []
    columns = [prefix for prefix in _PREFIXES if plain.startswith(prefix)]
    return [plain, without, *numbered, *columns]
