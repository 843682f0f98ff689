"""Bayesian networks: TAN, AODE and causal discovery by MML."""
