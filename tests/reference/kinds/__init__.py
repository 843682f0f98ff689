"""One module per package: the checks of the kinds of cases that belong to it."""

from importlib import import_module
from pathlib import Path

for _module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    import_module(f"{__name__}.{_module.stem}")
