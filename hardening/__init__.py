"""Campaigns that take too long for the tests; ``make fire`` runs those against the engine."""
