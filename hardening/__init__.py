"""Long checks of the tests and the code themselves, each behind its own make target."""
