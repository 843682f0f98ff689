"""Campaigns against the experiment engine that take too long for the tests: ``make fire``."""
