"""Simulated players of Hoshi Battle: a seeded game as a script of what happens at the table, honest or not.

The same seed and plan give the same script on every machine. Players know the rules and their own hands only; times are whole
microseconds from the first countdown.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from companion.rules.hoshi_battle.duels import in_game, opponents
from companion.rules.hoshi_battle.ending import cards_dealt, is_draft
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    CardDeclined,
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DieTaken,
    DuelCardRevealed,
    EffectTold,
    Face,
    Fact,
    Foul,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    OpponentChosen,
    PlayBegan,
    SaveRolled,
    StonesCounted,
    SwingMissed,
    TimeoutCalled,
    Told,
    ToldKind,
    Where,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.playing import needs_met, time_of, times_of
from companion.rules.hoshi_battle.settings import Deal
from companion.rules.hoshi_battle.setup import IN_USE, HoshiBattleSetup, Needs
from companion.rules.hoshi_battle.state import Phase, Roll, seat_of
from companion.rules.hoshi_battle.touches import Life, Meaning, Verdict, touch_reading
from companion.virtual.battle_script import HONEST, BattleScript, MischiefPlan, Trick
from companion.virtual.chance import Chance

MS = 1000
LAID_BACK_US = 60 * MS
"""After taking a die up, where it is laid down again without a roll."""
LAID_US = 45 * MS
"""And lies so long before it is taken up again."""
TOUCHING_US = 320 * MS
"""A hand that touched an arm is free again after this; so is the other."""
_FACES = (Face.STRIKE, Face.CHARM, Face.SHIELD)
_TELLINGS = (ToldKind.NOTHING, ToldKind.NOTHING, ToldKind.STONES, ToldKind.DIE)


def play_battle(setup: HoshiBattleSetup, seed: int, plan: MischiefPlan = HONEST) -> BattleScript:
    """A seeded game of random legal play, but for what the plan spoils.

    Raises ValueError where the deck holds too few cards for the players.
    """
    game = Battle(setup, seed, plan)
    facts = tuple(game.facts())
    return BattleScript(setup, seed, facts, tuple(game.tricks), tuple(game.touches), game.state)


class Battle:
    """A game in the playing: `facts` yields one fact after the other; `state` stands after the latest."""

    def __init__(self, setup: HoshiBattleSetup, seed: int, plan: MischiefPlan = HONEST) -> None:
        self.setup = setup
        self.state = start(setup)
        self.tricks: list[Trick] = []
        self.touches: list[tuple[int, Verdict]] = []
        self._plan = plan
        self._chance = Chance(seed)
        self._now = 0
        self._count = 0
        self._heroes: dict[str, list[str]] = {}
        self._duels: dict[str, list[str]] = {}
        self._lying: dict[str, str] = {}
        """Seat to its face-down Duel card."""
        self._queue: list[tuple[int, int, int, str]] = []
        """(time, order, side, what)."""

    def facts(self) -> Iterator[Fact]:
        """The whole game, a fact at a time."""
        yield from self._deal()
        while self.state.phase is not Phase.OVER:
            match self.state.phase:
                case Phase.OPPONENT:
                    yield self._challenge()
                case Phase.PLACE:
                    yield from self._place()
                case Phase.REVEAL:
                    yield from self._reveal()
                case Phase.READY:
                    yield from self._window()
                    yield from self._equip()
                case Phase.ROLLING:
                    yield from self._roll()
                case Phase.HIT:
                    yield from self._settle()
                case _:
                    yield from self._between()

    def _do(self, fact: Fact) -> Fact:
        self.state = apply(self.state, fact)
        self._count += 1
        return fact

    def _spoils(self, share: int, seat: str, what: str) -> bool:
        """Whether the act that comes next is this breach; chance is asked for plans alone that hold it."""
        if not share or not self._chance.per_mille(share):
            return False
        self.tricks.append(Trick(self._count, seat, what))
        return True

    def _challenge(self) -> Fact:
        state, seats = self.state, self.setup.seats
        allowed = opponents(state)
        weak = [place for place in in_game(state) if place not in (*allowed, state.chooser)]
        seat = seats[state.chooser]
        wrong = weak and self._spoils(self._plan.wrong_opponent, seat, "wrong_opponent")
        return self._do(OpponentChosen(seat, seats[self._chance.pick(weak if wrong else allowed)]))

    # -- set-up ---------------------------------------------------------------------------------------------------

    def _deal(self) -> Iterator[Fact]:
        heroes = [card for card, data in sorted(self.setup.heroes.items()) for _ in range(data.copies)]
        duels = [card for card, data in sorted(self.setup.duels.items()) for _ in range(data.copies)]
        self._chance.shuffle(heroes)
        self._chance.shuffle(duels)
        constructed = self.setup.settings.deal is Deal.CONSTRUCTED
        wanted = cards_dealt(self.state) * len(self.setup.seats)
        if not constructed and wanted > min(len(heroes), len(duels)):
            raise ValueError(f"{len(self.setup.seats)} players need {wanted} cards of each kind: combine games")
        for seat in self.setup.seats:
            if constructed:
                mine, cards = self._construct()
                if self._spoils(self._plan.heavy_deck, seat, "heavy_deck"):
                    mine, cards = self._dearest()
                yield self._do(DeckBrought(seat, tuple(mine), tuple(cards)))
            else:
                count = cards_dealt(self.state)
                mine, heroes = heroes[:count], heroes[count:]
                cards, duels = duels[:count], duels[count:]
            self._chance.shuffle(mine)
            self._chance.shuffle(cards)
            self._heroes[seat], self._duels[seat] = mine[:IN_USE], cards[:IN_USE]
        for kind in CardKind:
            for seat in self.setup.seats:
                yield self._do(CardsDealt(seat, kind, cards_dealt(self.state)))
            if is_draft(self.state):
                yield from self._draft(kind)
            for seat in self.setup.seats:
                yield self._do(CardsKept(seat, kind, IN_USE))

    def _draft(self, kind: CardKind) -> Iterator[Fact]:
        """Who ends up with which card is settled by the shuffle; what the table sees is the passing."""
        step = 1 if kind is CardKind.HERO else -1
        for count in (3, 2, 1):
            for seat in self.setup.seats:
                wrong = self._spoils(self._plan.wrong_pass, seat, "wrong_pass")
                yield self._do(CardsPassed(seat, self.setup.after(seat, -step if wrong else step), kind, count))

    def _construct(self) -> tuple[list[str], list[str]]:
        """Decks of known cost within the limit; the cheapest cards where chance asks for too much."""
        prices = {card: hero.cost for card, hero in self.setup.heroes.items() if hero.cost is not None}
        prices |= {card: duel.cost for card, duel in self.setup.duels.items() if duel.cost is not None}
        heroes = sorted(card for card in self.setup.heroes if card in prices)
        duels = sorted(card for card in self.setup.duels if card in prices)
        for _ in range(50):
            self._chance.shuffle(heroes)
            self._chance.shuffle(duels)
            mine, cards = heroes[:4], duels[:4]
            if sum(prices[card] for card in (*mine, *cards)) <= self.setup.settings.cost_limit:
                return mine, cards
        cheap = sorted(heroes, key=lambda card: prices[card])[:4], sorted(duels, key=lambda card: prices[card])[:4]
        return cheap[0], cheap[1]

    def _dearest(self) -> tuple[list[str], list[str]]:
        """The four Heroes and the four Duel cards that cost most."""
        heroes = sorted(self.setup.heroes, key=lambda card: -(self.setup.heroes[card].cost or 0))
        duels = sorted(self.setup.duels, key=lambda card: -(self.setup.duels[card].cost or 0))
        return heroes[:4], duels[:4]

    # -- around the rounds ----------------------------------------------------------------------------------------

    def _place(self) -> Iterator[Fact]:
        duel = self.state.duel
        if duel is None:
            return
        for side in (0, 1):
            if self.state.duel is not None and not self.state.duel.fighters[side].has_hero:
                seat = seat_of(self.state, side)
                hand = self._duels[seat]
                fighter = self.state.duel.fighters[side]
                wants = bool(hand) and not fighter.is_hidden and fighter.card is None
                if wants:
                    self._lying[seat] = hand.pop(self._chance.below(len(hand)))
                yield self._do(CardsPlaced(seat, duel=wants))

    def _reveal(self) -> Iterator[Fact]:
        duel = self.state.duel
        if duel is None:
            return
        for side in sorted((0, 1), key=lambda x: duel.fighters[x].place != duel.chooser):
            if self.state.duel is None or self.state.duel.fighters[side].hero is not None:
                continue
            seat = seat_of(self.state, side)
            aside = [hero for hero, _ in self.state.players[self.setup.places[seat]].aside]
            hand = [hero for hero in (*self._heroes[seat], *aside) if hero != self._barred(seat)]
            hero = self._chance.pick(hand)
            if hero in self._heroes[seat]:
                self._heroes[seat].remove(hero)
            brought = self.state.players[self.setup.places[seat]].brought
            if brought is not None and hero not in brought:  # smuggled in before, it had come back to hand
                self.tricks.append(Trick(self._count, seat, "foreign_card"))
            elif brought is not None and self._spoils(self._plan.foreign_card, seat, "foreign_card"):
                hero = self._chance.pick([card for card in sorted(self.setup.heroes) if card not in brought])
            yield self._do(HeroRevealed(seat, hero))
            known = self.setup.heroes[hero]
            if not known.is_known:
                yield self._do(self._told(seat, hero))
            if self.state.phase is Phase.REVEAL and self._chance.per_mille(300) and self._may_play(side):
                yield from self._show(side)

    def _barred(self, seat: str) -> str | None:
        """The Hero that this seat took back to hand: not the one to start over with."""
        duel = self.state.duel
        return None if duel is None or duel.barred not in self._heroes[seat] else duel.barred

    def _told(self, seat: str, card: str) -> EffectTold:
        kind = self._chance.pick(_TELLINGS)
        amount = {ToldKind.STONES: 1, ToldKind.DIE: 8 + 2 * self._chance.below(2)}.get(kind, 0)
        return EffectTold(seat, card, (Told(kind, seat, amount),))

    def _equip(self) -> Iterator[Fact]:
        duel = self.state.duel
        if self.state.phase is not Phase.READY or duel is None:
            return
        for side, fighter in enumerate(duel.fighters):
            seat = seat_of(self.state, side)
            for die, sides in enumerate(fighter.dice):
                yield self._do(DieTaken(seat, sides or 10, die))
            yield self._do(StonesCounted(seat, fighter.stones))
        for side, fighter in enumerate(duel.fighters):
            seat, sides = seat_of(self.state, side), fighter.dice[0] or 10
            if self._spoils(self._plan.early_roll, seat, "early_roll"):
                yield self._do(DieRolled(seat, self._face(sides), self._now, 8 * MS, True, 0, None, sides))
                break
        yield from self._begin(counted=True)

    def _begin(self, *, counted: bool) -> Iterator[Fact]:
        self._now += 3000 * MS
        yield self._do(PlayBegan(self._now, counted))
        self._restart(self._now)

    def _restart(self, at_us: int) -> None:
        """Both go on rolling."""
        self._queue = []
        for side in (0, 1):
            self._later(at_us + (50 + self._chance.below(300)) * MS, side, "pick")

    def _later(self, at_us: int, side: int, what: str) -> None:
        heappush(self._queue, (at_us, self._count * 2 + len(self._queue), side, what))

    def _between(self) -> Iterator[Fact]:
        """A round's end or start."""
        yield from self._window()
        if self.state.phase is Phase.ROUND_END:
            duel = self.state.duel
            for side in (0, 1):
                if duel is not None and self.state.duel is duel and duel.fighters[side].stones <= 0:
                    yield self._do(HeroExiled(seat_of(self.state, side)))
        elif self.state.phase is Phase.ROUND_START:
            duel = self.state.duel
            side = self._chance.below(2)
            if duel is not None:
                seat = seat_of(self.state, side)
                yield self._do(StonesCounted(seat, duel.fighters[side].stones))
            yield from self._begin(counted=False)

    def _window(self) -> Iterator[Fact]:
        """Each in turn plays a face-down card or keeps it."""
        phase = self.state.phase
        while (duel := self.state.duel) is not None and duel.deciding and self.state.phase is phase:
            side = duel.deciding[0]
            if self._may_play(side) and (side in duel.claims or self._chance.per_mille(600)):
                yield from self._show(side)
            else:
                yield self._do(CardDeclined(seat_of(self.state, side)))

    def _may_play(self, side: int) -> bool:
        card = self.setup.duels.get(self._lying.get(seat_of(self.state, side), ""))
        duel = self.state.duel
        if card is None or duel is None or not duel.fighters[side].is_hidden:
            return False
        times = times_of(self.state, card)
        now = time_of(self.state)
        return now is not None and (not times or now in times) and needs_met(self.state, side, card)

    def _show(self, side: int) -> Iterator[Fact]:
        seat = seat_of(self.state, side)
        card = self._lying.pop(seat)
        duel = self.state.duel
        hero = None if duel is None else duel.fighters[side].hero
        yield self._do(DuelCardRevealed(seat, card))
        if not self.setup.duels[card].is_known:
            yield self._do(self._told(seat, card))
        after = self.state.duel
        if hero is not None and after is not None and after.barred == hero and after.fighters[side].hero is None:
            self._heroes[seat].append(hero)

    def _settle(self) -> Iterator[Fact]:
        """What a hit waits for is attested or rolled."""
        duel = self.state.duel
        if duel is None or not duel.hits:
            return
        hit = duel.hits[0]
        need = hit.needs[0]
        if need.act is not None:
            yield self._do(ActAttested(seat_of(self.state, 1 - hit.victim), need.act, self._chance.per_mille(750)))
        else:
            yield self._do(SaveRolled(seat_of(self.state, hit.victim), self._face(need.sides), need.sides))

    # -- dice and hands -------------------------------------------------------------------------------------------

    def _face(self, sides: int) -> Face:
        """Three faces carry a symbol each, the others are blank."""
        face = self._chance.below(sides)
        return _FACES[face] if face < 3 else Face.BLANK

    def _roll(self) -> Iterator[Fact]:
        """The next thing that one of the two does."""
        if not self._queue:
            self._restart(self._now)
        self._now, _, side, what = heappop(self._queue)
        seat = seat_of(self.state, side)
        match what:
            case "pick":
                yield from self._pick(side, seat)
            case "settle":
                yield from self._come_to_rest(side, seat)
            case "put back":
                yield from self._put_back(side, seat)
            case "take up":
                yield from self._take_up(side, seat)
            case "dare":
                yield from self._dare(side, seat)
            case "strike":
                yield from self._touch(side, (seat,))
            case _:
                yield from self._decide(side, seat)

    def _pick(self, side: int, seat: str) -> Iterator[Fact]:
        duel = self.state.duel
        if duel is None:
            return
        if self._chance.per_mille(4):
            yield self._do(DieFell(seat, self._now))
            yield self._do(TimeoutCalled(seat, self._now))
            yield from self._begin(counted=True)
            return
        if self._lying_dice(side) and self._spoils(self._plan.pushed, seat, "pushed"):
            yield self._do(FoulSeen(seat, Foul.PUSHED_DIE, self._now))
            self._later(self._now + (300 + self._chance.below(200)) * MS, side, "dare")
            return
        yield from self._take_up(side, seat)
        lays_back = self._plan.put_back and self._chance.per_mille(self._plan.put_back)
        if lays_back:
            self._later(self._now + LAID_BACK_US, side, "put back")
        hidden = duel.fighters[side].is_hidden
        if self._plan.early_card and hidden and self._chance.per_mille(self._plan.early_card):
            self.tricks.append(Trick(self._count, seat, "early_card"))
            yield from self._show(side)
            if self.state.phase is not Phase.ROLLING:
                return
        again_us = LAID_BACK_US + LAID_US if lays_back else 0
        self._later(self._now + again_us + (400 + self._chance.below(500)) * MS, side, "settle")

    def _lying_dice(self, side: int) -> list[int]:
        """The dice of a side that lie on the table, as far as was told."""
        duel = self.state.duel
        rolls: tuple[Roll | None, ...] = () if duel is None else duel.fighters[side].rolls
        return [die for die, roll in enumerate(rolls) if roll is not None and not roll.is_lost]

    def _take_up(self, side: int, seat: str) -> Iterator[Fact]:
        for die in self._lying_dice(side):
            yield self._do(DiePickedUp(seat, self._now, 5 * MS, die))

    def _put_back(self, side: int, seat: str) -> Iterator[Fact]:
        """Laid down as a strike, and taken up again when nobody falls for it."""
        self.tricks.append(Trick(self._count, seat, "put_back"))
        yield self._do(DiePutBack(seat, Face.STRIKE, self._now))
        self._later(self._now + LAID_US, side, "take up")

    def _dare(self, side: int, seat: str) -> Iterator[Fact]:
        """After a breach: strike as if nothing were, or roll on."""
        if self._chance.per_mille(500):
            yield from self._touch(side, (seat,))
        else:
            yield from self._pick(side, seat)

    def _come_to_rest(self, side: int, seat: str) -> Iterator[Fact]:
        duel = self.state.duel
        if duel is None:
            return
        plan = self._plan
        if self._spoils(plan.snatched, seat, "snatched"):
            yield self._do(DiePickedUp(seat, self._now, 5 * MS))
            self._later(self._now + (160 + self._chance.below(200)) * MS, side, "dare")
            return
        for die, sides in enumerate(duel.fighters[side].dice):
            rolled = sides or 10
            inside = not (plan.outside and self._chance.per_mille(plan.outside))
            if not inside:
                self.tricks.append(Trick(self._count, seat, "outside"))
            elif plan.wrong_die and sides is not None and self._chance.per_mille(plan.wrong_die):
                self.tricks.append(Trick(self._count, seat, "wrong_die"))
                rolled = 18 - rolled
            released = self._now - 350 * MS
            fact = DieRolled(seat, self._face(rolled), self._now, 8 * MS, inside, die, released, rolled)
            yield self._do(fact)
        self._later(self._now + (160 + self._chance.below(240)) * MS, side, "decide")

    def _decide(self, side: int, seat: str) -> Iterator[Fact]:
        """Swing if there is something to swing for, else roll on; a bluffer swings for nothing."""
        reading = touch_reading(self.state, seat, self._now)
        wants = reading.meaning in (Meaning.HIT, Meaning.SPECIAL) or (
            reading.meaning is Meaning.HIDDEN and self._holds_touch(seat)
        )
        if reading.life is not Life.ALIVE or not wants:
            if self._plan.bluff and self._chance.per_mille(self._plan.bluff):
                yield from self._touch(side, (seat,))
            else:
                yield from self._pick(side, seat)
            return
        if self._spoils(self._plan.rushed, seat, "rushed"):
            yield from self._take_up(side, seat)
            self._later(self._now + (160 + self._chance.below(240)) * MS, side, "strike")
            return
        luck = self._chance.below(100)
        other = seat_of(self.state, 1 - side)
        if luck < 65:
            theirs = touch_reading(self.state, other, self._now)
            both = theirs.meaning is Meaning.HIT and theirs.life is Life.ALIVE and self._chance.per_mille(600)
            yield from self._touch(side, (seat, other) if both else (seat,))
        elif luck < 85:
            yield self._do(SwingMissed(seat, self._now))
            self._later(self._now + 150 * MS, side, "pick")
        else:
            yield self._do(HandRaised(other, self._now))
            self._now += (self.setup.settings.defence_ms + 20) * MS
            yield self._do(HandLowered(other, self._now))
            self._restart(self._now)

    def _holds_touch(self, seat: str) -> bool:
        card = self.setup.duels.get(self._lying.get(seat, ""))
        return card is not None and card.needs is Needs.OWN_TOUCH

    def _touch(self, side: int, by: tuple[str, ...]) -> Iterator[Fact]:
        if len(by) == 1 and self._spoils(self._plan.arm, by[0], "arm"):
            yield from self._touch_an_arm(side, by)
            return
        meanings = {touch_reading(self.state, seat, self._now).meaning for seat in by}
        if len(by) == 2:
            truth = Verdict.DRAW if meanings == {Meaning.HIT} else Verdict.SEVERAL
        else:
            truth = Verdict(next(iter(meanings)).value)
        self.touches.append((self._count, truth))
        yield self._do(HandsTouched(by, self._now, 500))
        if self.state.phase is Phase.ROLLING:
            self._later(self._now + 100 * MS, side, "pick")
        self._now += 500 * MS

    def _touch_an_arm(self, side: int, by: tuple[str, ...]) -> Iterator[Fact]:
        """A miss: the round goes on, and neither does anything else while they touch."""
        self.touches.append((self._count, Verdict.MISS))
        yield self._do(HandsTouched(by, self._now, 500, Where.ELSEWHERE))
        free_us = self._now + TOUCHING_US
        waiting, self._queue = self._queue, []
        for at_us, _, other, what in sorted(waiting):
            earliest_us = free_us + (450 * MS if what == "settle" else 0)
            if other != side and what != "put back":
                self._later(max(at_us, earliest_us), other, what)
        self._later(free_us + self._chance.below(100) * MS, side, "pick")
