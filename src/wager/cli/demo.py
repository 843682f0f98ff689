"""``wager demo``: whether a cautious classifier pays off, on scikit-learn's handwritten digits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wager.cli._errors import one_sentence
from wager.cli._help import examples
from wager.cli._options import Format, OutputFormat, Quiet, output_option
from wager.cli._progress import step_progress
from wager.cli._render import Grid, Printout, printing

if TYPE_CHECKING:
    from wager.experiments import Demo

EXAMPLES = examples(
    """
    # train, score, compare and plot; takes about ten seconds
    wager demo
    # the same with a Markdown table, and the plot in the folder plots
    wager demo -o plots --format markdown
    """
)

Folder = Annotated[Path, output_option("Folder for the plot.", "FOLDER")]


def demo(
    output: Folder = Path("wager-demo"),
    output_format: Format = OutputFormat.text,
    quiet: Quiet = False,
) -> None:
    """Show by an example whether a cautious classifier pays off.

    Trains naive Bayes and three cautious classifiers on handwritten digits, and says which users
    each one suits.
    """
    from wager._atomic import folder_for_output, require_writable

    with one_sentence(), printing(output_format, None) as show, folder_for_output(output):
        from wager.experiments import run_demo
        from wager.plots import plain_figure, plot_risk_profile, save

        plot = output / "risk-profile.png"
        require_writable(plot)
        with step_progress(quiet) as report:
            report("training on handwritten digits, ten folds")
            found = run_demo()
        ax = plain_figure((7.0, 4.5)).subplots()
        save(plot_risk_profile(found.profile, found.break_evens, ax), plot)
        show(_printout(found, plot))


def _printout(found: Demo, plot: Path) -> Printout:
    from wager.experiments import UTILITIES

    shown, records = [], []
    for name, single, *estimates in found.rows():
        shown.append(
            [name, f"{single:.1%}", *(f"{e.value:.3f} ± {e.standard_error:.3f}" for e in estimates)]
        )
        records.append([name, single, *(n for e in estimates for n in (e.value, e.standard_error))])
    errors = [title for name in UTILITIES for title in (name, f"{name}_standard_error")]
    return Printout(
        about="",
        title="ten-fold cross-validation on handwritten digits",
        grids=[Grid(["classifier", "single", *UTILITIES], shown)],
        remarks=[
            found.paragraph(),
            *([f"{found.assumption}."] if found.assumption else []),
            f"utility against u(0.5), drawn: {plot}",
        ],
        records=Grid(["classifier", "determinacy", *errors], records),
    )
