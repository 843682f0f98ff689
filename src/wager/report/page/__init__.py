"""The interactive report: one HTML file that computes everything from tallies."""
