"""The studies of Hope & Korb (2004)."""
