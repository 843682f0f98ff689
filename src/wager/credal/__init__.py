"""Credal sets and what to decide with them; optimal sets and rejection for one distribution."""
