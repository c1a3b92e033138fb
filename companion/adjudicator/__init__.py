"""From observations to facts and rulings: resolver, pending questions, the folded table."""
