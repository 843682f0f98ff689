"""One function a picture: it takes a result and an `ax`, and returns the Axes."""
