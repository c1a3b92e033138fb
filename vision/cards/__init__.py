"""Cards: enrolled from scans, found on any ground, told apart, and read with a confidence that abstains."""

from vision.cards.cache import enrol_deck
from vision.cards.deck import EnrolledDeck
from vision.cards.identity import Thresholds
from vision.cards.reader import CardReader
from vision.cards.steady import SteadyReader

__all__ = ["CardReader", "EnrolledDeck", "SteadyReader", "Thresholds", "enrol_deck"]
