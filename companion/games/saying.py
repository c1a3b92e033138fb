"""Acts and steps in words, one at a time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from companion.errors import BadInputError
from companion.games.phrases import Nested, Phrase, Reader
from companion.games.start import Start
from companion.games.steps import PHRASES, Act, Correct, Remark, Step
from companion.games.words import Choice, Many, Names

LONGEST_LINE = 100_000
"""Characters; the stars of a board, the longest act, take some hundreds."""


@lru_cache(maxsize=32)
def _readers(phrases: tuple[Phrase, ...], names: Names) -> tuple[Reader, ...]:
    return tuple(reader for phrase in (*phrases, *PHRASES) for reader in phrase.readers(names))


def act_text(start: Start, fact: Any) -> str:
    """An act in its canonical words."""
    phrase = next(phrase for phrase in start.book.phrases if phrase.made is type(fact))
    return phrase.write(fact, start.names)


def step_text(start: Start, step: Step) -> str:
    """A step in its canonical words."""
    match step:
        case Act(fact):
            return act_text(start, fact)
        case Correct(number, fact):
            return f"correct {number}: {act_text(start, fact)}"
        case Remark(text):
            words = " ".join(text.split())
            return f"# {words}" if words else "#"
        case _:
            return next(phrase for phrase in PHRASES if phrase.made is type(step)).write(step, start.names)


def read_step(start: Start, text: str) -> Step:
    """A step in anybody's words. Raises BadInputError that says what can be said."""
    text = text.strip().rstrip(".").rstrip()
    if len(text) > LONGEST_LINE:
        raise BadInputError("the line is too long for an act")
    if (
        correction := re.fullmatch(r"correct(?:s|ed)?\s+(\d{1,9})\s*:?\s+(.+)", text, re.IGNORECASE | re.DOTALL)
    ) is not None:
        return Correct(int(correction[1]), _read_act(start, correction[2]))
    made = _read(start, text)
    return made if isinstance(made, Step) else Act(made)


def _read_act(start: Start, text: str) -> Any:
    made = _read(start, text)
    if isinstance(made, Step):
        raise BadInputError(f"{text!r} is no act that could stand in another's place")
    return made


def _read(start: Start, text: str) -> Any:
    """An act or step. Where several phrases fit, the first whose values can be read."""
    wrong: BadInputError | None = None
    for reader in _readers(start.book.phrases, start.names):
        try:
            values = reader.values(text)
        except BadInputError as error:
            wrong = wrong or error
            continue
        if values is not None:
            return reader.phrase.made(**values)
    raise wrong or BadInputError(f"{text!r} is nothing that can happen here; {_hint(start, text)}")


def _hint(start: Start, text: str) -> str:
    """What is said with the same words, else how to see everything that can be said."""
    words = set(re.findall(r"[^\W\d_]+", text.casefold()))
    shared = {
        phrase: len(words & {word for word in phrase.words if len(word) > 1 and word not in start.names.seats})
        for phrase in start.book.phrases
    }
    alike = sorted((phrase for phrase in shared if shared[phrase]), key=lambda phrase: -shared[phrase])
    if not alike:
        return f"hoshiban rules acts --game {start.game} lists what can"
    nearest, *others = (plain_template(phrase.templates[0]) for phrase in alike[:4])
    if can_be := "; ".join(f"{name}: {', '.join(values)}" for name, values in choices(alike[0]).items()):
        nearest += f" ({can_be})"
    return "acts with such words: " + "; ".join((nearest, *others))


def choices(phrase: Phrase) -> dict[str, tuple[str, ...]]:
    """What the fields of an act can be, by the names that `plain_template` gives them: words, or a template of their own.

    Fields that can be anything of their kind (players, cards, numbers, texts) are left out.
    """
    found: dict[str, tuple[str, ...]] = {}
    for slot in phrase.slots:
        word = slot.word.each if isinstance(slot.word, Many) else slot.word
        match word:
            case Choice(values):
                found[_shown(slot.name)] = tuple(values)
            case Nested(inner):
                found |= {_shown(slot.name): tuple(map(plain_template, inner.templates)), **choices(inner)}
            case _:
                pass
    return found


def plain_template(template: str) -> str:
    """A template as people read it: the first of several words, fields by their names."""
    text = re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: _shown(found[1]), template)
    text = re.sub(r"([^\s|\[\]()]+)(?:\|[^\s|\[\]()]+)+", r"\1", text)
    return text.replace("(", "").replace(")", "")


def _shown(field: str) -> str:
    """A field's name as people read it."""
    return field.removesuffix("_us").upper()
