"""The environment in which `make test` runs the examples that name no extra."""

from importlib.util import find_spec

import pytest

from tests.examples import extra_of

EXTRAS = ("pandas", "polars", "pyarrow", "mapie", "dask", "distributed", "mlflow")


@pytest.mark.core
@pytest.mark.parametrize("library", EXTRAS)
def test_no_extra_is_installed_where_core_examples_run(library, request):
    if request.config.getoption("--examples") != "core":
        pytest.skip("pytest --examples core makes this check, in .venv-core")
    assert find_spec(library) is None


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("# Sets from MAPIE\n\nThis page needs `pip install 'wager[conformal]'`.", "conformal"),
        ("This example needs\n    ``pip install 'wager[frames]'``.", "frames"),
        ("Data frames are an extra: `pip install 'wager[frames]'`.", None),
    ],
)
def test_a_text_names_the_extra_that_it_needs(text, extra):
    assert extra_of(text) == extra
