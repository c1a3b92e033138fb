"""A game in words: written the same, byte for byte, whenever the same game is written; read from whatever people make of it.

    Hoshiban game 1
    Game: hoshizora
    Players: A, B, C
    Leads: A

    Trick 1:
      2. A lays a card
         ! F1 illegal, A: ... [the rule]
    correct 2: B lays a card
    ruling f1 dismissed by Kim because "shown at once"
    # a remark
    = nobody has won yet

Lines that begin with `!` or `=` say what the rules make of it; when read they are only compared with what the rules say now.
"""

from __future__ import annotations

import json

from companion.decks import builtin_deck
from companion.games.deck_lines import card_lines
from companion.games.saying import step_text
from companion.games.start import house_json
from companion.games.steps import Act
from companion.games.words import PLAIN, Many, Seat, quote
from companion.games.written import NumberedFinding, Written
from companion.journal.events import canonical
from companion.rules.core import Finding, Outcome
from companion.rules.penalties import PenaltyKind

TITLE = "Hoshiban game"
VERSION = 1
EDITION = "Edition"


def write_game(game: Written) -> str:
    """The whole game in canonical words, ending in a line break. The same game gives the same text everywhere."""
    lines = [*_header(game), ""]
    again = Written(game.start)
    heading = ""
    for step in game.steps:
        if isinstance(step, Act) and (now := again.start.book.heading(again.ledger.state)) != heading:
            heading = now
            lines += ["", f"{heading}:"] if lines[-1] else [f"{heading}:"]
        known = len(again.known)
        again.take(step)
        number = f"{again.acts:3}. " if isinstance(step, Act) else ""
        lines.append(number + step_text(game.start, step))
        lines += [f"     ! {finding_words(n, again.known[n - 1][0])}" for n in range(known + 1, len(again.known) + 1)]
    lines += ["", *(f"! {life_words(one)}" for one in again.findings())] if again.findings() else []
    lines += ["", f"= {outcome_words(again.ledger.outcome())}"]
    cards = card_lines(game.start.cards, builtin_deck(game.start.game).cards)
    lines += ["", "Cards that are not as in the built-in deck:", *cards] if cards else []
    return "\n".join(lines) + "\n"


def finding_words(number: int, finding: Finding) -> str:
    """A finding in a line."""
    return f"F{number} {_words(finding)}"


def life_words(one: NumberedFinding) -> str:
    """What has become of a finding, in a line."""
    found = one.found
    costs = f", costs {found.penalty}" if found is not None and found.penalty.kind is not PenaltyKind.REPORT else ""
    ruling = found.ruling if found is not None else None
    by = f": {ruling.verdict} by {_inline(ruling.by)}" if ruling is not None else ""
    return f"F{one.number} is {one.life}{by}{costs}"


def _words(finding: Finding) -> str:
    who = f", {finding.player}" if finding.player is not None else ""
    return _inline(f"{finding.level}{who}: {finding.text} [{finding.rule}]")


def outcome_words(outcome: Outcome | None) -> str:
    """A result in a line."""
    if outcome is None:
        return "not over"
    winners = " and ".join(outcome.winners) or "nobody"
    points = "" if outcome.points is None else f", {outcome.points} points"
    return _inline(f"won by {winners}: {outcome.decided_by}{points}")


def _inline(text: str) -> str:
    """Text without anything that would end a line or move a cursor."""
    return "".join(char if char.isprintable() else " " for char in text)


def _header(game: Written) -> list[str]:
    start = game.start
    edition = start.edition
    lines = [
        f"{TITLE} {VERSION}",
        f"Game: {start.game}",
        f"Players: {Many(Seat()).write(start.seats, start.names)}",
        f"Leads: {start.names.quoted(start.lead)}",
    ]
    lines += [f"Setting: {name} = {json.dumps(value)}" for name, value in start.changed_settings.items()]
    lines += [f"House: {canonical(house_json(line))}" for line in start.house]
    lines += [f"{key}: {_inline(text)}" for key, text in sorted(game.tags.items())]
    lines += [f"{EDITION}: {canonical(edition.to_json())}"]
    return lines


def _card_id(card: str) -> str:
    return card if PLAIN.fullmatch(card) else quote(card)
