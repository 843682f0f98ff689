"""Workers of all studies here are copies of this process: how one starts is tested elsewhere."""

import pytest

from tests.experiments.forked import copies
from wager_studies.hope_korb import _artificial_claims, _metametric, _uci


@pytest.fixture(autouse=True)
def _copies(monkeypatch):
    copies(monkeypatch)


@pytest.fixture
def short_searches(monkeypatch):
    """A search for networks that ends early: studies of Hope & Korb spend most time there."""
    for study in (_artificial_claims, _metametric, _uci):
        whole = study.LEARNERS["CaMML"]
        monkeypatch.setitem(study.LEARNERS, "CaMML", {**whole, "params": {"search_factor": 0.05}})
