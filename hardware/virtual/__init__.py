"""The virtual table: draws a plain scene as a camera would see it; knows no rules."""
