"""Reports of studies without a run, computed once for all tests that only look at them."""

from functools import cache

from wager.experiments import studies


@cache
def report_of(name):
    """The report of a study without a run."""
    return studies.get(name).report()
