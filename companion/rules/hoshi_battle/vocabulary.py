"""The effect vocabulary: the words that a deck's data says what a card does with, and the reading of them.

An effect is a table with `do` and its own entries. An entry that begins with `@` names another field of the same card, so that
an icon which the text lost is a field with a provenance of its own. Which entries an effect has, and which of them must be there,
are the fields of its class; what an entry can be stands in `ENTRIES`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import StrEnum

from companion.rules.card_fields import CardFault, EffectWord, FieldInfo, FieldKind, refuse, shown
from companion.rules.cards import CardData, Scalar, Value
from companion.rules.hoshi_battle.effects import (
    DICE,
    Ask,
    AskAct,
    At,
    CancelHit,
    CountAlso,
    CountInstead,
    Effect,
    ExtraDie,
    KeepDice,
    Lasts,
    Move,
    NextHeroStones,
    Only,
    ReplaceExile,
    RestartDuel,
    SaveRoll,
    SetDie,
    Stones,
    SuppressUntil,
    Then,
    To,
    Touch,
    What,
    When,
    Who,
)
from companion.rules.hoshi_battle.facts import SYMBOLS, Face


def _choice(name: str, meaning: str, choices: Mapping[StrEnum, str]) -> FieldInfo:
    first = next(iter(choices))
    meanings = {str(choice): said for choice, said in choices.items() if said}
    return FieldInfo(
        name,
        FieldKind.CHOICE,
        meaning,
        f'"{first}"',
        choices=tuple(choices),
        choice_meanings=meanings or None,
    )


def _face(name: str, meaning: str) -> FieldInfo:
    return FieldInfo(name, FieldKind.CHOICE, meaning, f'"{Face.STRIKE}"', choices=SYMBOLS)


def _stones(name: str, meaning: str) -> FieldInfo:
    return FieldInfo(name, FieldKind.WHOLE, meaning, "1", least=-9, most=9)


ENTRIES: Mapping[str, FieldInfo] = {
    info.name: info
    for info in (
        FieldInfo("sides", FieldKind.CHOICE, "the sides of the die", "10", choices=DICE),
        _face("rolled", "the symbol that is rolled"),
        _face("counts", "the symbol that it counts as"),
        _face("face", "the symbol with which it happens"),
        FieldInfo("act", FieldKind.TEXT, "in words, what the hitter has to do", '"clap twice"', least=1),
        _stones("amount", "how many Stones; below 0 they are lost"),
        _stones("stones", "with how many Stones"),
        _choice(
            "who",
            "whom it concerns",
            {Who.SELF: "the card's owner", Who.OPPONENT: "the owner's opponent", Who.ALL: "both"},
        ),
        _choice(
            "when",
            "the condition under which it holds; each time it becomes true the effect counts as played anew",
            {
                When.ALWAYS: "no condition",
                When.BELOW_FULL_HEALTH: "the owner's Hero has fewer Stones than it began with",
                When.FULL_HEALTH: "the owner's Hero has all its Stones",
                When.OPPONENT_COSTS_MORE: "the opponent's Hero has the higher cost",
                When.OPPONENT_COSTS_LESS: "the opponent's Hero has the lower cost",
                When.OPPONENT_HAS_ARTIFACT: "the opponent has an artifact in play",
                When.LAST_HERO: "it is the owner's last Hero",
            },
        ),
        _choice(
            "lasts",
            "how long it holds",
            {
                Lasts.CARD: "while its card is in play",
                Lasts.ROUND: "until the round ends",
                Lasts.DUEL: "until the Duel ends",
            },
        ),
        _choice(
            "at",
            "when it happens",
            {
                At.PLAYED: "when the card is revealed",
                At.LEAVING: "when the card leaves play or changes its owner",
                At.EXILED: "when the Hero is exiled",
                At.DUEL_START: "before each Duel of its owner starts",
            },
        ),
        _choice("what", "which card", {What.HERO: "the Hero", What.DUEL_CARD: "the Duel card"}),
        _choice(
            "to",
            "where it goes",
            {
                To.DISCARD: "to the discards",
                To.HAND: "back to its owner's hand",
                To.ASIDE: "aside, to come back later",
                To.EXILE: "out of the game",
                To.OTHER_OWNER: "to the other player",
            },
        ),
        _choice("only", "which Duel cards it concerns", dict.fromkeys(Only, "")),
        _choice("then", "what the touch does", {Then.HIT: "it hits", Then.SET_DIE: "it sets the other's die to sides"}),
    )
}
"""By its name, what an entry of an effect says and can be, in whichever effect it stands."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a word after `do` stands for."""

    kind: type[Effect]
    meaning: str
    example: str
    """An effect as it stands in TOML."""


_WORDS: Mapping[str, Word] = {
    "set-die": Word(SetDie, "battle with the die of so many sides", '{ do = "set-die", sides = 8, lasts = "duel" }'),
    "extra-die": Word(ExtraDie, "battle with an additional die", '{ do = "extra-die", sides = 10 }'),
    "keep-dice": Word(KeepDice, "nothing changes the type of the dice", '{ do = "keep-dice" }'),
    "count-also": Word(
        CountAlso,
        "a symbol counts for what it is and also as another",
        '{ do = "count-also", rolled = "shield", counts = "strike", who = "opponent" }',
    ),
    "count-instead": Word(
        CountInstead,
        "a symbol counts as another only; not the other way round",
        '{ do = "count-instead", rolled = "charm", counts = "strike", who = "all" }',
    ),
    "ask-act": Word(
        AskAct,
        "a hit on the owner stands only if the hitter did something, which a person attests",
        '{ do = "ask-act", act = "clap twice", when = "below-full-health" }',
    ),
    "save-roll": Word(
        SaveRoll,
        "whoever is hit rolls a die, and the symbol cancels the hit",
        '{ do = "save-roll", sides = 10, face = "shield" }',
    ),
    "stones": Word(Stones, "Stones are gained or lost once", '{ do = "stones", amount = -1, at = "leaving" }'),
    "next-hero-stones": Word(
        NextHeroStones, "the owner's next Hero begins with more Stones", '{ do = "next-hero-stones", amount = 1 }'
    ),
    "move": Word(
        Move,
        "a card leaves its place",
        '{ do = "move", what = "duel-card", to = "discard", who = "opponent", only = "artifact" }',
    ),
    "replace-exile": Word(
        ReplaceExile,
        "a defeated Hero, not the last, is set aside with Stones instead of being exiled, and another goes on",
        '{ do = "replace-exile", stones = 1 }',
    ),
    "restart-duel": Word(
        RestartDuel,
        "the Hero, if it is not the last, goes back to hand, and the Duel starts over with another one",
        '{ do = "restart-duel" }',
    ),
    "suppress-until": Word(
        SuppressUntil,
        "a Hero's ability sleeps until its owner rolls the symbol, which is spent on waking it",
        '{ do = "suppress-until", face = "strike", who = "opponent" }',
    ),
    "touch": Word(
        Touch,
        "touching the other's hand after the symbol hits, or sets the other's die",
        '{ do = "touch", face = "charm", then = "set-die", sides = 10 }',
    ),
    "cancel-hit": Word(CancelHit, "the hit on the owner that is being settled doesn't count", '{ do = "cancel-hit" }'),
    "ask": Word(Ask, "the card is read aloud, and a person tells what happened", '{ do = "ask" }'),
}

VOCABULARY: Mapping[str, type[Effect]] = {word: its.kind for word, its in _WORDS.items()}
"""The word after `do`, to its effect."""


def _entries(kind: type[Effect]) -> tuple[FieldInfo, ...]:
    """The entries of an effect, each with whether it must be there and what holds where it is not."""
    found = []
    for entry in fields(kind):
        needed = entry.default is MISSING
        otherwise = "" if needed else str(entry.default or "not needed")
        found.append(replace(ENTRIES[entry.name], needed=needed, otherwise=otherwise))
    return tuple(found)


WORDS = tuple(
    EffectWord(word, its.meaning, f"effects = [{its.example}]", _entries(its.kind)) for word, its in _WORDS.items()
)
"""The vocabulary as people should know it."""
_ENTRIES_OF = {word.word: {info.name: info for info in word.entries} for word in WORDS}


def effects_of(card: CardData) -> tuple[Effect, ...]:
    """What a card does; `Ask` where its data doesn't say.

    Raises ValueError that begins with the card and the field.
    """
    refuse(effect_faults(card))
    told = card.value("effects")
    if not isinstance(told, tuple):
        return (Ask(),)
    return tuple(_effect(card, table) for table in told if isinstance(table, Mapping))


def effect_faults(card: CardData) -> Iterator[CardFault]:
    """What is wrong with a card's effects, in their order; the field says in which effect and entry."""
    told = card.value("effects")
    if told is None:
        return
    if not isinstance(told, tuple):
        yield CardFault(f"must be a list of tables, each with do, not {shown(told)}", card.id, ("effects",))
        return
    for place, table in enumerate(told):
        where = ("effects", place)
        if isinstance(table, Mapping):
            yield from _faults(card, table, where)
        else:
            yield CardFault(f"must be a table with do, not {shown(table)}", card.id, where)


def _faults(card: CardData, table: Mapping[str, Scalar], where: tuple[str, int]) -> Iterator[CardFault]:
    word = table.get("do")
    if not isinstance(word, str) or word not in VOCABULARY:
        text = f"must be one of {', '.join(VOCABULARY)}"
        yield CardFault(
            f"is missing; it {text}" if word is None else f"{text}, not {shown(word)}", card.id, (*where, "do")
        )
        return
    entries = _ENTRIES_OF[word]
    for name in table:
        if name != "do" and name not in entries:
            has = f"it has {', '.join(entries)}" if entries else "it has no entries"
            yield CardFault(f"is not known of {word}; {has}", card.id, (*where, name))
    for name, info in entries.items():
        if name not in table:
            if info.needed:
                yield CardFault(f"is missing; {word} needs it, and it must be {info.values}", card.id, (*where, name))
            continue
        value = _meant(card, table[name])
        fault = f"{shown(table[name])} names no field of this card" if value is None else info.fault(value)
        if fault is not None:
            yield CardFault(fault, card.id, (*where, name))
    if word == "touch" and table.get("then") == Then.SET_DIE and "sides" not in table:
        text = f"is missing; a touch that sets the die needs it, and it must be {ENTRIES['sides'].values}"
        yield CardFault(text, card.id, (*where, "sides"))


def _meant(card: CardData, value: Scalar) -> Value | None:
    """The value of an entry, looked up where it names a field of the card; None where there is no such field."""
    return card.value(value[1:]) if isinstance(value, str) and value.startswith("@") else value


def named_fields(card: CardData) -> dict[str, FieldInfo]:
    """The fields of the card that its effects speak of with @, as the entries that take their values from them."""
    told = card.value("effects")
    found: dict[str, FieldInfo] = {}
    for table in told if isinstance(told, tuple) else ():
        for entry, value in table.items() if isinstance(table, Mapping) else ():
            if entry in ENTRIES and isinstance(value, str) and value.startswith("@"):
                meaning = f"{ENTRIES[entry].meaning}, of which an effect of the card speaks"
                found[value[1:]] = replace(ENTRIES[entry], name=value[1:], meaning=meaning, needed=True)
    return found


_ENUMS: Mapping[str, type[StrEnum]] = {
    "who": Who,
    "when": When,
    "lasts": Lasts,
    "at": At,
    "what": What,
    "to": To,
    "only": Only,
    "then": Then,
    "rolled": Face,
    "counts": Face,
    "face": Face,
}


def _effect(card: CardData, table: Mapping[str, Scalar]) -> Effect:
    values: dict[str, object] = {}
    for name, told in table.items():
        if name != "do":
            value = _meant(card, told)
            values[name] = _ENUMS[name](str(value)) if name in _ENUMS else value
    return VOCABULARY[str(table["do"])](**values)  # type: ignore[arg-type]
