"""Searches that end early, for tests of studies."""

import pytest

from wager_studies.hope_korb import _artificial_claims, _metametric, _uci


@pytest.fixture
def short_searches(monkeypatch):
    """A search for networks that ends early: studies of Hope & Korb spend most time there."""
    for study in (_artificial_claims, _metametric, _uci):
        whole = study.LEARNERS["CaMML"]
        monkeypatch.setitem(study.LEARNERS, "CaMML", {**whole, "params": {"search_factor": 0.01}})
