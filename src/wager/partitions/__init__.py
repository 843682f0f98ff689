"""Standardized partition spaces: memberships of any classifier on one scale."""
