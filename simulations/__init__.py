"""Simulations of coverage and error rates: ``make simulate`` runs them and writes the tables.

Every module has a function ``table(replications, seed)`` that returns rows, and the constants
``REPLICATIONS`` and ``SEED``.  A row says what is measured, in which setting, with how many rows,
the value, and the bound that it has to keep.
"""
