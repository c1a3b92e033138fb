"""Camera, table and lens settings, kept in one validated profile."""
