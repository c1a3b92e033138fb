"""A deck.toml to fill in: every field that a game asks for, with what it means and what it can be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from companion.decks.forms import EFFECTS, FORMS
from companion.decks.toml_text import toml_key, toml_text
from companion.rules.card_fields import CardForm, DeckForm, FieldInfo, FieldKind
from companion.rules.cards import CardData, Provenance, Value

_WIDTH = 110
_NAMES = {"ahuha": "Ahuha Ahukaha", "hoshi-battle": "Hoshi Battle", "shuhari": "Shuhari", "hoshizora": "Hoshizora"}


def deck_text(game: str, ids: Sequence[str], known: Mapping[str, CardData], *, filled: bool) -> str:
    """A deck.toml for cards of these ids.

    `known` are cards of which data is there. `filled` writes it out, with who says so; otherwise it only tells what kind of card
    an id stands for, and every field waits to be filled in.
    """
    deck = FORMS[game]
    parts = ["\n".join(_head(deck, filled=filled))]
    for card in ids:
        data = known.get(card)
        lines = _blank(deck, data) if data is None or not filled else _filled(deck, data)
        parts.append("\n".join([f"[card.{toml_key(card)}]", *lines]))
    return "\n\n".join(parts) + "\n"


def numbered_ids(count: int) -> tuple[str, ...]:
    """Ids for cards of which no scan is there yet."""
    width = max(2, len(str(count)))
    return tuple(f"card-{n:0{width}d}" for n in range(1, count + 1))


def needs_in_words(info: FieldInfo) -> str:
    """What a field can be, and what holds without it."""
    if info.needed:
        return f"needed; {info.values}"
    return f"{info.values}; otherwise {info.otherwise}" if info.otherwise else info.values


def _head(deck: DeckForm, *, filled: bool) -> Iterator[str]:
    """The game, and each field once with its meaning."""
    how = (
        "The cards as far as the program knows them. What is inferred is a guess: compare it with your cards."
        if filled
        else "Enter what each card shows: take the # away in front of a field and put the card's own value there."
    )
    yield from _comment(f"{_NAMES[deck.game]}: the cards of a deck of your own. {how}")
    yield from _comment(
        "hoshiban decks check DIRECTORY says what is missing or wrong, with its line; hoshiban decks edit DIRECTORY CARD "
        "asks field by field. A card's id is the name of its scan without the ending."
    )
    for form in deck.forms:
        yield "#"
        title = f'{form.meaning} (kind = "{form.kind}")' if form.kind else form.meaning
        yield f"# {title}:"
        for info in deck.fields_of(form):
            if info.name != "kind":
                yield from _explained(info)
    if deck.game in EFFECTS:
        yield "#"
        yield from _comment(f"The words for effects: hoshiban decks effects --game {deck.game}")
    yield "#"
    yield from _comment(
        f'source says who knows it: "{Provenance.USER}" read off the card (what holds where nothing is said), '
        f'"{Provenance.RULEBOOK}", or "{Provenance.INFERRED}" for a guess. On one field: FIELD_source = "{Provenance.INFERRED}".'
    )
    yield f'game = "{deck.game}"'


def _explained(info: FieldInfo) -> Iterator[str]:
    yield from textwrap.wrap(
        f"{info.name}: {info.meaning}; {needs_in_words(info)}",
        _WIDTH,
        initial_indent="#   ",
        subsequent_indent="#       ",
        break_on_hyphens=False,
    )
    for choice, meaning in (info.choice_meanings or {}).items():
        yield from textwrap.wrap(
            f"{choice}: {meaning}", _WIDTH, initial_indent="#       ", subsequent_indent="#         "
        )


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _blank(deck: DeckForm, data: CardData | None) -> Iterator[str]:
    """A card of which nothing is entered; of known cards the kind is."""
    form = None if data is None else deck.form_of(data)
    if form is None and deck.usual:
        form = deck.form_of(CardData(""))
    if form is not None:
        if form.kind and form.kind != deck.usual:
            yield f'kind = "{form.kind}"'
        yield from (waiting_line(info) for info in _asked(deck, form))
        return
    if deck.has_kinds:
        yield waiting_line(deck.kind_field)
    forms = [each for each in deck.forms if each.fields]
    for info in {info.name: info for each in forms for info in _asked(deck, each)}.values():
        of = [each for each in forms if each.field(info.name) is not None]
        yield waiting_line(info) if len(of) in (0, len(forms)) else f"{waiting_line(info)} ({of[0].meaning})"


def _asked(deck: DeckForm, form: CardForm) -> tuple[FieldInfo, ...]:
    return tuple(info for info in deck.fields_of(form) if info.name != "kind")


def waiting_line(info: FieldInfo) -> str:
    """The line of a field that waits to be filled in."""
    if info.kind is FieldKind.EFFECTS:
        return f"# {info.name} = {info.example}  # the words: hoshiban decks effects"
    return f"# {info.name} = {info.example}  # {needs_in_words(info)}"


def _filled(deck: DeckForm, data: CardData) -> Iterator[str]:
    """A card with what is known of it, and the fields of which nothing is known waiting."""
    form = deck.form_of(data)
    sources = [field.source for field in data.fields.values()]
    # Never "rulebook" for the whole card: what its owners add later must not pass for the rulebook's word.
    usual = Provenance.INFERRED if sources.count(Provenance.INFERRED) > len(sources) / 2 else Provenance.USER
    if usual is not Provenance.USER:
        yield f'source = "{usual}"'
    for name, field in data.fields.items():
        yield from _stated(name, field.value, field.source, usual)
    if data.copies_source is not None:
        yield from _stated("copies", data.copies, data.copies_source, usual)
    waiting = () if form is None else _asked(deck, form)
    yield from (waiting_line(info) for info in waiting if data.value(info.name) is None and info.name != "copies")


def _stated(name: str, value: Value, source: Provenance, usual: Provenance) -> Iterator[str]:
    yield f"{toml_key(name)} = {toml_text(value)}"
    if source is not usual:
        yield f'{toml_key(f"{name}_source")} = "{source}"'
