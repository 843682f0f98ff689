"""Wrong input gets one sentence on standard error and exit code 2; never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

WRONG_INPUT = 2


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn an error about the user's input into its sentence.

    Put it around what reads and checks input: ``with one_sentence(): ...``.
    """
    try:
        yield
    except BrokenPipeError:  # who reads has seen enough, as `| head`: typer ends quietly
        raise
    except (ValueError, OSError, ImportError) as error:
        typer.echo(f"wager: {_sentence(error)}", err=True)
        raise typer.Exit(WRONG_INPUT) from None
    except KeyboardInterrupt:
        typer.echo("wager: stopped", err=True)
        raise typer.Exit(130) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'cannot be read').lower()}"
    return " ".join(str(error).split())
