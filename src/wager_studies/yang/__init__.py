"""The studies of Yang, Destercke & Masson (2017)."""
