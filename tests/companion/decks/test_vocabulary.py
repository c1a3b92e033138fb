"""The effect words as people are told of them are those that the reader takes."""

from __future__ import annotations

from dataclasses import MISSING, fields

import pytest

from companion.decks.forms import EFFECTS, FORMS
from companion.decks.reading import read_deck
from companion.rules.ahuha.effects import EffectKind
from companion.rules.card_fields import EffectWord
from companion.rules.hoshi_battle import VOCABULARY, effects_of

HEAD = {
    "hoshi-battle": 'game = "hoshi-battle"\n[card.x]\nkind = "duel"\n',
    "ahuha": 'game = "ahuha"\n[card.mimosa]\nnumber = 1\narika = "south"\nkesiki = "sora"\nsugata = "large"\n',
}
WORDS = [(game, word) for game, words in EFFECTS.items() for word in words]


@pytest.mark.parametrize(("game", "word"), WORDS, ids=[f"{game}-{word.word}" for game, word in WORDS])
def test_every_example_can_be_entered_as_it_stands(game: str, word: EffectWord) -> None:
    faults = [fault for fault in read_deck(HEAD[game] + word.example).faults if fault.path != ("card",)]
    assert faults == []
    if game == "hoshi-battle":
        (effect,) = effects_of(read_deck(HEAD[game] + word.example).cards["x"])
        assert type(effect) is VOCABULARY[word.word]


def test_every_word_is_described_once() -> None:
    assert [word.word for word in EFFECTS["hoshi-battle"]] == list(VOCABULARY)
    assert [word.word for word in EFFECTS["ahuha"]] == list(EffectKind)


@pytest.mark.parametrize("word", EFFECTS["hoshi-battle"], ids=lambda word: word.word)
def test_entries_are_those_of_the_effect_and_their_choices_are_taken(word: EffectWord) -> None:
    kind = VOCABULARY[word.word]
    assert {info.name: info.needed for info in word.entries} == {
        entry.name: entry.default is MISSING for entry in fields(kind)
    }
    least = ", ".join(f"{info.name} = {info.example}" for info in word.entries if info.needed)
    for info in word.entries:
        for choice in info.choices or (info.least, info.most):
            value = choice if isinstance(choice, int) else f'"{choice}"'
            others = ", ".join(f"{x.name} = {x.example}" for x in word.entries if x.needed and x is not info)
            sides = ", sides = 8" if choice == "set-die" else ""
            if info.name == "act":
                continue
            table = f'{{ do = "{word.word}", {info.name} = {value}{sides}{", " if others else ""}{others} }}'
            reading = read_deck(HEAD["hoshi-battle"] + f"effects = [{table}]")
            assert reading.faults == [], table
            (effect,) = effects_of(reading.cards["x"])
            assert getattr(effect, info.name) == choice
    table = f'{{ do = "{word.word}"{", " if least else ""}{least} }}'
    assert read_deck(HEAD["hoshi-battle"] + f"effects = [{table}]").faults == []


@pytest.mark.parametrize(
    ("game", "kind", "name"),
    [(game, form.kind, info.name) for game, deck in FORMS.items() for form in deck.forms for info in form.fields],
)
def test_what_a_description_forbids_the_reader_refuses(game: str, kind: str, name: str) -> None:
    """A broken number is no value of any field; the fault tells what the description allows."""
    form = next(form for form in FORMS[game].forms if form.kind == kind)
    info = form.field(name)
    assert info is not None
    text = f'game = "{game}"\n[card.x]\n' + (f'kind = "{kind}"\n' if kind else "") + f"{name} = 1.5\n"
    (fault,) = [fault for fault in read_deck(text).faults if fault.path[2:] == (name,)]
    assert fault.text == f"must be {info.values}, not 1.5"
    assert fault.line == text.split("\n").index(f"{name} = 1.5") + 1
