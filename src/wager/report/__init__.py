"""Tables for the terminal, Markdown, LaTeX and CSV, and the words beside the numbers."""
