"""Each game as it is written: its start, acts and rulings, as JSON for machines and as a notation for people."""
