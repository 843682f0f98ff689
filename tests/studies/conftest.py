"""What the tests of studies share: searches that end early, and reports that are computed once."""

import pytest

from tests.studies.computed import REPORT, report_of
from wager.experiments import studies
from wager_studies.hope_korb import _artificial_claims, _metametric, _uci


@pytest.fixture
def short_searches(monkeypatch):
    """A search for networks that ends early: studies of Hope & Korb spend most time there."""
    for study in (_artificial_claims, _metametric, _uci):
        whole = study.LEARNERS["CaMML"]
        monkeypatch.setitem(study.LEARNERS, "CaMML", {**whole, "params": {"search_factor": 0.05}})


@pytest.fixture
def computed_once(monkeypatch):
    """Studies without a run compute their reports once for all tests that compare or write them."""

    def report(self, store=None, *, seed=None):
        return REPORT(self, store) if self.plan else report_of(self.name, seed)

    monkeypatch.setattr(studies.Study, "report", report)
