"""The star board: its outline, squares, stars, numbers and lines."""

from vision.board.reader import BoardReader

__all__ = ["BoardReader"]
