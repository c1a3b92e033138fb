"""The built-in decks hold what the readings state, each value with who says so: what is stated, and what is only inferred."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.decks import builtin_deck
from companion.rules.cards import Provenance

STARS = """
1 deneb Deneb | July | A I
2 fomalhaut Fomalhaut | October | A V
3 achernar Achernar | South | B V
4 aldebaran Aldebaran | January | K III
5 rigel Rigel | January | B I
6 capella Capella | January | G III
7 betelgeuse Betelgeuse | January | M I
8 canopus Canopus | South | F II
9 sirius Sirius | January | A V
10 procyon Procyon | January | F IV
11 pollux Pollux | January | K III
12 regulus Regulus | April | B IV
13 acrux Acrux | South | B IV
14 mimosa Mimosa | South | B III
15 spica Spica | April | B III
16 hadar Hadar | South | B III
17 arcturus Arcturus | April | K III
18 rigil-kentaurus Rigil Kentaurus & Toliman | South | G V
19 antares Antares | July | M II
20 vega Vega | July | A V
21 altair Altair | July | A V
"""
"""The table of the readings: number, id and name, where it is seen, spectral and luminosity class."""
KESIKI = {"B": "sora", "A": "siro", "F": "kiku", "G": "ihanu", "K": "tachibana", "M": "momiji"}
SUGATA = {"V": "small", "IV": "slightly-large", "III": "large", "II": "quite-large", "I": "extremely-large"}
STATED_OF_STARS = {
    "deneb": {"name", "effect", "effect_name", "effect_of"},
    "rigel": {"name", "effect", "effect_name"},
    "betelgeuse": {"name"},
    "canopus": {"name", "effect_name"},
    "sirius": {"name"},
    "mimosa": {"name"},
    "hadar": {"name", "effect", "effect_name", "effect_of"},
    "rigil-kentaurus": {"name", "two_point", "effect", "effect_name"},
    "antares": {"name", "effect_name", "effect_needs_hand"},
    "vega": {"name"},
    "altair": {"name"},
    "asita": {"kind"},
    "yono-tigiri": {"kind"},
}
"""What Ahuha's rulebook says of single cards; all else in the deck is inferred."""

HEROES = {
    "master-of-battle": (1, 10, 5),
    "poltergeist": (3, 10, 4),
    "lightning-siren": (4, 10, 3),
    "yoss": (5, 10, 4),
    "saal-swordsman": (6, 8, 10),
    "swamp-monster": (9, 10, 3),
    "glorious-phoenix": (16, None, 8),
    "lord-of-the-night": (None, None, None),
    "fire-harpy": (None, None, None),
    "clay-champion": (None, None, None),
    "charming-trader": (None, None, None),
}
"""Number, die and cost, as far as they are known."""
DUELS = {
    "saal-iron-armor": (2, "artifact", 8),
    "ring-of-regeneration": (3, "artifact", 2),
    "fire-axe": (4, "artifact", 5),
    "crystal-sword": (5, "artifact", 10),
    "arcane-knowledge": (9, "power", 6),
    "backstab": (10, "power", 5),
    "fnex-swamp-magic": (11, "power", 3),
    "disenchantment": (12, "power", 3),
    "cosmic-revolution": (14, "power", 7),
    "acid-fog": (18, "legend", 3),
    "deowi-pouring-rain": (19, "legend", 4),
    "rage": (None, None, None),
}
"""Number, kind and cost."""
INFERRED_OF_BATTLE = {
    "lightning-siren": {"wakes"},
    "yoss": {"weakened_die"},
    "saal-swordsman": {"die", "cost", "second_die"},
    "fire-harpy": {"touch_face", "burnt_die"},
    "glorious-phoenix": {"cost"},
    "saal-iron-armor": {"rolled", "counted"},
    "ring-of-regeneration": {"save_die", "save_face"},
    "crystal-sword": {"rolled", "counted"},
    "backstab": {"touch_face"},
    "fnex-swamp-magic": {"cursed_die"},
    "rage": {"reveal", "stays"},
    "acid-fog": {"rolled", "counted"},
}
"""Icons that the text lost, and what the readings mark as inferred; all else in the deck is stated."""


def by_source(game: str, source: Provenance) -> dict[str, set[str]]:
    """The fields of a built-in deck's cards that this source says; copies too."""
    found = {}
    for card, data in builtin_deck(game).cards.items():
        names = {name for name, field in data.fields.items() if field.source is source}
        if data.copies_source is source:
            names.add("copies")
        if names:
            found[card] = names
    return found


def test_ahuha_the_stars_are_those_of_the_table() -> None:
    cards = builtin_deck("ahuha").cards
    rows = re.findall(r"(\d+) (\S+) (.+) \| (\w+) \| (\w) (\w+)", STARS)
    assert len(rows) == 21
    for number, card, name, arika, spectral, luminosity in rows:
        said = {field: cards[card].value(field) for field in ("number", "name", "arika", "kesiki", "sugata")}
        assert said == {
            "number": int(number),
            "name": name,
            "arika": arika.lower(),
            "kesiki": KESIKI[spectral],
            "sugata": SUGATA[luminosity],
        }
    assert [card for card, data in cards.items() if data.value("effect") is not None] == [
        "deneb",
        "rigel",
        "hadar",
        "rigil-kentaurus",
    ]


def test_ahuha_what_is_stated_and_what_is_inferred() -> None:
    stated = {card: fields - {"copies"} for card, fields in by_source("ahuha", Provenance.RULEBOOK).items()}
    assert stated == STATED_OF_STARS
    assert by_source("ahuha", Provenance.USER) == {}


def test_ahuha_names_are_stated_where_the_rulebook_has_them(shared: Path) -> None:
    text = (shared / "rulebooks" / "ahuha-ahukaha.txt").read_text("utf-8")
    for data in builtin_deck("ahuha").cards.values():
        name = data.value("name")
        if name is not None:
            assert (data.source("name") is Provenance.RULEBOOK) is (str(name) in text), name


def test_hoshi_battle_numbers_dice_kinds_and_costs() -> None:
    cards = builtin_deck("hoshi-battle").cards
    for card, said in HEROES.items():
        assert tuple(cards[card].value(name) for name in ("number", "die", "cost")) == said, card
    for card, said in DUELS.items():
        assert tuple(cards[card].value(name) for name in ("number", "type", "cost")) == said, card
    unknown = [card for card, data in cards.items() if set(data.fields) == {"kind"}]
    assert len(unknown) == 9 + 8
    assert set(cards) == {*HEROES, *DUELS, *unknown}


def test_hoshi_battle_what_is_stated_and_what_is_inferred() -> None:
    assert by_source("hoshi-battle", Provenance.INFERRED) == INFERRED_OF_BATTLE
    assert by_source("hoshi-battle", Provenance.USER) == {}


def test_shuhari_what_is_stated_and_what_is_inferred() -> None:
    arts = {card for card, data in builtin_deck("shuhari").cards.items() if data.value("kind") == "art"}
    inferred = {card: {"obey", "detach", "separate"} for card in arts} | {"preparation": {"copies"}}
    stated = {card: {"kind", "rank"} for card in arts}
    stated |= {"preparation": {"kind"}, "review": {"kind", "copies"}}
    stated |= {"stage-ha": {"kind", "stage"}, "stage-ri": {"kind", "stage"}}
    assert len(arts) == 60
    assert by_source("shuhari", Provenance.INFERRED) == inferred
    assert by_source("shuhari", Provenance.RULEBOOK) == stated
    assert by_source("shuhari", Provenance.USER) == {}


def test_shuhari_suits_are_the_offsets_of_the_readings() -> None:
    suits = ("ikebana", "buyo", "koto", "chado", "shodo")
    cards = [data for data in builtin_deck("shuhari").cards.values() if data.value("kind") == "art"]
    for rank in range(1, 13):
        offsets = set()
        for data in cards:
            if data.value("rank") == rank:
                outer, middle, inner = (suits.index(str(data.value(ring))) for ring in ("obey", "detach", "separate"))
                offsets.add(((middle - outer) % 5, (inner - outer) % 5))
        assert len(offsets) == 1, rank


def test_hoshizora_what_is_stated_and_what_is_inferred() -> None:
    cards = builtin_deck("hoshizora").cards
    assert by_source("hoshizora", Provenance.INFERRED) == {card: {"bid"} for card in cards}
    assert by_source("hoshizora", Provenance.RULEBOOK) == {card: {"colour", "number"} for card in cards}
    assert by_source("hoshizora", Provenance.USER) == {}
    faces = sorted((data.value("colour"), data.value("number"), data.value("bid")) for data in cards.values())
    assert faces == [(colour, number, number) for colour in ("blue", "red") for number in range(1, 13)]


@pytest.mark.parametrize("game", ["ahuha", "hoshi-battle", "shuhari", "hoshizora"])
def test_every_field_has_a_source(game: str) -> None:
    for data in builtin_deck(game).cards.values():
        assert all(field.source in tuple(Provenance) for field in data.fields.values())
        assert data.copies == 1 or data.copies_source is not None
