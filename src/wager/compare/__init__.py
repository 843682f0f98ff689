"""Who won, for whom, and how surely."""
