"""Set-valued classifiers around any other classifier."""
