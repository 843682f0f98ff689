"""The options that say how ``m:`` columns become memberships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from wager.cli._help import MEMBERSHIPS
from wager.cli._options import option

if TYPE_CHECKING:
    from wager.report import MembershipChoice

Kind = Annotated[
    Literal["softmax", "shift", "rank", "none"] | None,
    option(
        "--memberships",
        "softmax|shift|rank|none",
        "How m: columns become memberships, which are not negative and sum to 1: softmax (depends "
        "on the scale of the scores), shift (minus the smallest score), rank (within each row), "
        "or none if they are memberships.",
        default="none if they are memberships, else softmax",
        section=MEMBERSHIPS,
    ),
]
ComparedMemberships = Annotated[
    Literal["softmax", "shift", "rank", "none"] | None,
    option(
        "--memberships",
        "softmax|shift|rank|none",
        "As in `wager score`. Files with m: columns are compared by the class of the largest "
        "membership, which is the same for every choice.",
        section=MEMBERSHIPS,
    ),
]
Sharpness = Annotated[
    float | None,
    option(
        "--sharpness",
        "NUMBER",
        "Factor of the scores in softmax.",
        default="1",
        section=MEMBERSHIPS,
    ),
]
Depth = Annotated[
    int | None,
    option(
        "--depth",
        "NUMBER",
        "How many of the largest memberships of a row decide with which rows it is scaled.",
        default="1",
        section=MEMBERSHIPS,
    ),
]
Ties = Annotated[
    Literal["first", "random", "join"] | None,
    option(
        "--ties",
        "first|random|join",
        "Equal memberships: the first class leads, the order is random, or regions are joined.",
        default="first",
        section=MEMBERSHIPS,
    ),
]


def membership_choice(
    kind: Literal["softmax", "shift", "rank", "none"] | None,
    sharpness: float | None,
    depth: int | None,
    ties: Literal["first", "random", "join"] | None,
) -> MembershipChoice:
    """The choice that these options describe."""
    from wager.report import MembershipChoice

    return MembershipChoice(kind, sharpness, 1 if depth is None else depth, ties or "first")
