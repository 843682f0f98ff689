"""Speed, as ratios of one run: ours against a peer or a lower bound, on the same data."""
