"""Campaigns that take too long for the tests, each behind its own make target."""
