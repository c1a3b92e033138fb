"""Ahuha Ahukaha at the adjudicator: how its table is read, written and shown."""
