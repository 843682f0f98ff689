"""The scripts of the gallery run, and each of them draws."""

import runpy

import pytest
from matplotlib import pyplot as plt

from tests.docs.pages import DOCS, page_name
from tests.examples import examples

SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))


@pytest.mark.parametrize("script", examples(SCRIPTS, page_name))
def test_every_script_of_the_gallery_draws(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()
