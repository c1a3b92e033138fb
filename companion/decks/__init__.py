"""Card data: loads and checks deck.toml; the built-in decks."""
