"""One module a room: the checks of the kinds that belong to it."""

from importlib import import_module
from pathlib import Path

for _module in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    import_module(f"{__name__}.{_module.stem}")
