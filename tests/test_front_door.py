"""The public names: that they exist, what importing them costs, and the types they have."""

import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from mypy import api as mypy

import wager
import wager.metrics

HERE = Path(__file__).parent
CLIENT = HERE / "typed_client.py"


@pytest.mark.parametrize("module", ["wager", "wager.metrics"])
def test_every_public_name_is_available(module):
    front = import_module(module)
    for name in front.__all__:
        assert getattr(front, name) is not None


@pytest.mark.parametrize("heavy", ["sklearn", "matplotlib", "duckdb", "numba", "pandas", "scipy"])
@pytest.mark.parametrize("module", ["wager", "wager.metrics"])
def test_importing_the_front_door_loads_nothing_heavy(module, heavy):
    assert heavy not in loaded_with(module)


@cache
def loaded_with(module):
    """The modules that a new interpreter has after an import."""
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found = set(done.stdout.split())
    assert module in found
    return found


def test_packages_are_available_after_importing_wager_alone():
    folders = {path.parent.name for path in Path(wager.__file__).parent.glob("*/__init__.py")}
    packages = {name for name in folders - {"cli"} | {"metrics"} if not name.startswith("_")}
    code = f"import wager; [getattr(wager, name).__name__ for name in {sorted(packages)}]"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert packages <= set(dir(wager))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = wager.nonsense


@pytest.fixture
def mypy_run():
    """Mypy in this process, which then has the limit of recursion that it had."""
    limit = sys.getrecursionlimit()
    yield mypy.run
    sys.setrecursionlimit(limit)


@pytest.mark.long
def test_checkers_see_real_types(mypy_run):
    out, err, status = mypy_run([str(CLIENT)])
    assert status == 0, out + err


@pytest.mark.long
def test_checkers_find_a_misspelt_name(mypy_run, tmp_path):
    client = tmp_path / "misspelt.py"
    client.write_text("import wager\nwager.metrics.covrage\nwager.evaluate_set\n", encoding="utf-8")
    out, _, status = mypy_run([str(client)])
    assert status == 1
    assert out.count("attr-defined") == 2


@pytest.mark.parametrize("name", ["wager", "wager.metrics"])
def test_completion_offers_public_names_only(name):
    module = import_module(name)
    assert set(module.__all__) <= set(dir(module))
    offered = {name for name in dir(module) if not name.startswith("__")}
    assert not {"TYPE_CHECKING", "annotations", "lazy_exports"} & offered
    assert not [name for name in offered if name.startswith("_")]
