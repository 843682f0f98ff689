"""What a prediction earned: utilities, the tally, set-valued scores, information rewards, bets."""
