"""The studies of Zaffalon, Corani & Mauá (2011, 2012)."""
