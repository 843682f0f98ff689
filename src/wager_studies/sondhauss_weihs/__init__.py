"""The studies of Sondhauss & Weihs (2001)."""
