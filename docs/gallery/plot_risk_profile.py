"""
Risk profile
============

Which classifier a user prefers.
"""

from sklearn.datasets import load_digits

import wager
from wager.plots import plot_risk_profile

y = load_digits().target[:200]
cautious = [[label, (label + 1) % 10] if i % 3 else [label] for i, label in enumerate(y)]
plain = [label if i % 5 else 0 for i, label in enumerate(y)]
bets = wager.PairedTally.of(y, cautious, plain)
plot_risk_profile(wager.risk_profile({"cautious": bets.a, "plain": bets.b}))
