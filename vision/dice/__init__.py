"""Dice: where each lies on the table, how it is turned, and what its top face shows."""
