"""The star board: its outline, squares, stars, numbers and lines."""
