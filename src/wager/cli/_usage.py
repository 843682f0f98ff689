"""Wrong options and arguments: one sentence and exit status 2, as for every other mistake."""

from __future__ import annotations

import re
from typing import Any, cast

import typer

from wager.cli._errors import WRONG_INPUT
from wager.cli._help import Group
from wager.cli._say import say

# typer has no public name for it
_UsageError = cast("type[Exception]", typer.BadParameter.__bases__[0])
_PLAIN = {  # words of the libraries that check options, of several versions, and ours
    r" \(env var: 'None'\)": "",
    r"\S+ is not in the range x>=(\S+)": r"it must be greater than or equal to \1",
    r"'[^']*' is not a valid float.*": "it must be a valid number",
    r"'[^']*' is not a valid integer.*": "it must be a valid integer",
    r"Value error, ": "",
    r"Input should be a valid (\w+), .*": r"it must be a valid \1",
    r"Input should be ": "it must be ",
    r"Possible options": "possible options",
    r"(?i)(no such option: --load).*": r"\1: a learner that was saved predicts with wager predict",
}


class Commands(Group):
    """The commands of ``wager``, whose errors about options are one sentence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the name of the command."""
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            raise _in_one_sentence(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is named, after its options are read."""
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            raise _in_one_sentence(error) from None


def _in_one_sentence(error: Any) -> BaseException:
    """Print what is wrong and where help is; the exception that ends the program."""
    said = " ".join(error.format_message().split()).rstrip(".")
    if not said or type(error).__name__ == "NoArgsIsHelpError":  # its message is the help itself
        return cast("BaseException", error)
    for words, plain in _PLAIN.items():
        said = re.sub(words, plain, said)
    command = error.ctx.command_path if error.ctx is not None else "wager"
    stop = "" if said.endswith("?") else "."
    say(f"wager: {said[0].lower()}{said[1:]}{stop} See {command} --help", err=True)
    return typer.Exit(WRONG_INPUT)
