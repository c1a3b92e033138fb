"""The games, what their cards say, and what finds the faults of a deck."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from companion.rules.ahuha import card_data as ahuha
from companion.rules.ahuha.effects import WORDS as AHUHA_WORDS
from companion.rules.card_fields import CardFault, DeckForm, EffectWord, FieldInfo
from companion.rules.cards import CardData
from companion.rules.hoshi_battle import card_data as hoshi_battle
from companion.rules.hoshi_battle.vocabulary import WORDS as HOSHI_BATTLE_WORDS
from companion.rules.hoshi_battle.vocabulary import named_fields
from companion.rules.hoshizora import card_data as hoshizora
from companion.rules.shuhari import card_data as shuhari

FORMS: Mapping[str, DeckForm] = {
    form.game: form for form in (ahuha.DECK, hoshi_battle.DECK, shuhari.DECK, hoshizora.DECK)
}
"""By game, what its cards say."""
GAMES = tuple(FORMS)
FAULTS: Mapping[str, Callable[[Mapping[str, CardData]], Iterator[CardFault]]] = {
    "ahuha": ahuha.faults_of,
    "hoshi-battle": hoshi_battle.faults_of,
    "shuhari": shuhari.faults_of,
    "hoshizora": hoshizora.faults_of,
}
"""By game, what is wrong with a deck's cards."""
EFFECTS: Mapping[str, tuple[EffectWord, ...]] = {"ahuha": AHUHA_WORDS, "hoshi-battle": HOSHI_BATTLE_WORDS}
"""By game whose cards have effects, its vocabulary."""
TOLD: Mapping[str, Callable[[CardData], bool]] = {"ahuha": ahuha.is_told, "hoshi-battle": hoshi_battle.is_told}
"""By game whose cards have effects, whether the deck says what a card's effect does."""


def spoken_of(game: str, data: CardData) -> Mapping[str, FieldInfo]:
    """Fields of the owners' own that the card's effects refer to, and what they can be."""
    return named_fields(data) if game == "hoshi-battle" else {}
