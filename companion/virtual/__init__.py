"""Players and director of the virtual table."""
