"""The public names, and what importing them costs."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import wager
import wager.metrics


@pytest.mark.parametrize("module", ["wager", "wager.metrics"])
def test_every_public_name_can_be_had(module):
    door = import_module(module)
    for name in door.__all__:
        assert getattr(door, name) is not None


@pytest.mark.parametrize("heavy", ["sklearn", "matplotlib", "duckdb", "numba", "pandas", "scipy"])
def test_import_wager_loads_nothing_heavy(heavy):
    code = f"import sys, wager; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_rooms_are_had_after_importing_wager_alone():
    folders = {path.parent.name for path in Path(wager.__file__).parent.glob("*/__init__.py")}
    rooms = folders - {"cli"} | {"metrics"}
    code = f"import wager; [getattr(wager, room).__name__ for room in {sorted(rooms)}]"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert rooms <= set(dir(wager))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = wager.nonsense
