"""Generators, plans, the runner, the store and the papers' studies."""
