"""Measures the eyes: sets of pictures with their truth, and what a reader makes of them."""
