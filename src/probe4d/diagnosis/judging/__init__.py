"""Judges free answers with a model: who is asked, what it is shown, what of its reply counts, and the figures."""
