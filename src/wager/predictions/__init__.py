"""What was said: sets, probabilities, intervals and memberships, and the files they come in."""
