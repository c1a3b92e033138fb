"""Card data: loads and checks deck.toml; the built-in decks."""

from companion.decks.deck import Deck, builtin_deck, builtin_games, load_deck, load_decks

__all__ = ["Deck", "builtin_deck", "builtin_games", "load_deck", "load_decks"]
