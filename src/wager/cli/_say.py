"""How every command prints a line: what it repeats of files and options acts on no terminal."""

from __future__ import annotations

import typer

from wager._visible import visible

__all__ = ["say"]


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text with control characters spelt out; with ``err`` on standard error."""
    typer.echo(visible(text), err=err, nl=nl)
