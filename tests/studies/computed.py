"""Reports of studies without a run, computed once for all tests that only look at them."""

from functools import cache

from wager.experiments import studies

REPORT = studies.Study.report


def report_of(name, seed=None):
    """The report of a study without a run."""
    return _computed(name, seed)


@cache
def _computed(name, seed):
    return REPORT(studies.get(name), seed=seed)
