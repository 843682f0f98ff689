"""Data sets in; discretizers, selection, encoding; the one count kernel."""
