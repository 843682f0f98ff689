"""Execute the notebooks of this folder again, and store them with their outputs.

    python docs/notebooks/execute.py [NAME ...]

The same code gives the same file: figures are SVG with fixed identifiers and no date,
and times and other metadata are left out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
KERNEL = "c.InlineBackend.figure_formats = {'svg'}\n"
STYLE = (
    "svg.hashsalt: wager\nfigure.figsize: 7, 4\nfigure.constrained_layout.use: True\n"
)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(path: Path) -> None:
    """Run a notebook from top to bottom in an empty folder, and replace the file."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        settings = Path(folder, "settings")
        profile = settings / "profile_default"
        profile.mkdir(parents=True)
        (profile / "ipython_kernel_config.py").write_text(KERNEL, encoding="utf-8")
        (settings / "matplotlibrc").write_text(STYLE, encoding="utf-8")
        os.environ |= {
            "IPYTHONDIR": str(settings),
            "MATPLOTLIBRC": str(settings / "matplotlibrc"),
            "SOURCE_DATE_EPOCH": "0",
        }
        work = Path(folder, "work")
        work.mkdir()
        resources = {"metadata": {"path": str(work)}}
        client = NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            resources=resources,
            coalesce_streams=True,
        )
        client.execute()
    path.write_text(
        nbformat.writes(cleaned(notebook), indent=1) + "\n", encoding="utf-8"
    )


def cleaned(notebook: Any) -> Any:
    """The notebook without times and other metadata, and with numbered cells."""
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number:02}", {}
        if cell.cell_type == "code":  # messages about compiling are left out
            shown = [o for o in cell.outputs if o.get("name") != "stderr"]
            cell.outputs = shown
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = {}
            if "image/svg+xml" in output.get("data", ()):
                output.data.pop("text/plain", None)
    return notebook


if __name__ == "__main__":
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.ipynb"))
    for name in names:
        execute(HERE / f"{name.removesuffix('.ipynb')}.ipynb")
        print(name)
