"""``wager demo``: whether a cautious classifier is worth having, on scikit-learn's digits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wager.cli._errors import one_sentence

Folder = Annotated[
    Path, typer.Option("--out", "-o", help="Where the picture goes.", show_default=True)
]


def demo(out: Folder = Path("wager-demo")) -> None:
    """Train naive Bayes and three cautious classifiers, and say who should prefer which."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table

    with one_sentence():
        from wager.experiments import UTILITIES, run_demo
        from wager.plots import plot_risk_profile, save

        out.mkdir(parents=True, exist_ok=True)
        console = Console()
        with console.status("training on handwritten digits, ten folds"):
            found = run_demo()
        table = Table(
            title="ten-fold cross-validation on handwritten digits",
            title_justify="left",
            box=SIMPLE_HEAD,
        )
        table.add_column("classifier")
        table.add_column("single", justify="right")
        for name in UTILITIES:
            table.add_column(name, justify="right")
        for name, single, *estimates in found.rows():
            scores = [f"{e.value:.3f} ± {e.standard_error:.3f}" for e in estimates]
            table.add_row(name, f"{single:.1%}", *scores)
        console.print(table)
        console.print(Padding(found.paragraph(), (1, 0)), highlight=False)
        picture = out / "risk-profile.png"
        save(plot_risk_profile(found.profile, found.break_evens), picture)
        console.print(f"utility against u(0.5), drawn: {picture}", highlight=False)
