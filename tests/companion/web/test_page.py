"""The page in a real browser: it changes by itself, it is acted on by taps, and it says when something is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.games.steps import RuleFinding
from companion.rules.ledger import Verdict
from companion.web.server import PageServer

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 800}

Opener = Callable[..., Any]


def shows(page: Any, selector: str, text: str) -> None:
    """Waits until an element holds a text; fails after the page's timeout.

    What is waited for is always written as a function: the page's own policy forbids to evaluate a string.
    """
    page.wait_for_function(
        "([selector, text]) => [...document.querySelectorAll(selector)].some((n) => n.textContent.includes(text))",
        arg=[selector, text],
    )


def test_score_cards_and_star_map_change_without_a_reload(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.evaluate("window.sameDocument = true")
    assert page.text_content("#points") == "6"
    assert page.locator("[data-line]").count() == 5

    def draw(view: dict[str, Any]) -> None:
        view["board"]["lines"].append({"a": 2, "b": 10, "colour": "blue", "trick": 5})
        view["board"]["by_colour"]["blue"] = 3
        view.update(points=7, headline="Ben leads")
        view["seats"][2].update(
            laid="up", card={"id": "red-12", "colour": "red", "number": 12, "label": "12", "size": "L"}
        )

    desk.change(draw)
    shows(page, "#points", "7")
    shows(page, "#headline", "Ben leads")
    page.wait_for_selector("[data-line='2-10-blue']", state="attached")
    assert page.locator("[data-line]").count() == 6
    shows(page, ".legend", "3 blue")
    shows(page, "#points-why", "6 lines + 1 crossing")
    assert "red" in page.text_content(".seat:nth-child(3) .card")
    assert page.evaluate("window.sameDocument")


def test_a_wiped_line_leaves_the_map_and_the_others_stay_as_they_are(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.evaluate("document.querySelector(\"[data-line='3-6-red']\").same = true")
    desk.change(lambda view: view["board"].update(lines=view["board"]["lines"][1:], crossings=[]))
    page.wait_for_selector("[data-line='1-5-red']", state="detached")
    assert page.evaluate("document.querySelector(\"[data-line='3-6-red']\").same")
    assert page.locator(".crossings .crossing").count() == 0


def test_lines_that_may_be_drawn_are_hinted_while_someone_draws(open_page: Opener, desk: Any) -> None:
    page = open_page()
    assert page.locator("[data-drawable]").count() == 0
    desk.change(lambda view: view["board"].update(drawable=[{"a": 3, "b": 10, "colour": "blue"}]))
    page.wait_for_selector("[data-drawable='3-10']", state="attached")
    assert page.locator(".star.offered").count() == 2


def test_a_question_is_answered_with_one_tap_on_a_phone(open_page: Opener, desk: Any) -> None:
    page = open_page(PHONE, has_touch=True)
    assert not page.is_visible("#question")

    def ask(view: dict[str, Any]) -> None:
        options = [{"id": "blue-06", "label": "Blue 6"}, {"id": "blue-08", "label": "Blue 8"}]
        picture = ["/question/q1/0.png"]
        view["questions"] = [{"id": "q1", "text": "Which card?", "options": options, "pictures": picture}]

    desk.change(ask)
    page.wait_for_selector("#question")
    page.wait_for_function("() => document.querySelector('#question img').naturalWidth === 240")
    size = page.locator("button.answer").first.bounding_box()
    assert size["height"] >= 48
    page.tap("button.answer[data-option='blue-08']")
    page.wait_for_selector("#question", state="hidden")
    assert desk.asked == [("answer", "q1", "blue-08", "page")]


def test_an_undo_takes_two_taps_and_shows_on_every_page(open_page: Opener, desk: Any) -> None:
    first, second = open_page(), open_page(PHONE)
    button = first.locator("#undo-last")
    button.click()
    shows(first, "#undo-last", "Ben revealed blue 3")
    assert desk.asked == []
    first.wait_for_timeout(300)
    button.click()
    for page in (first, second):
        page.wait_for_selector(".event.undone[data-seq='37']", state="attached")
    assert desk.asked == [("undo", 37, "page")]
    shows(first, ".event.undone", "taken back")


def test_a_second_tap_can_not_hit_an_event_that_came_in_between(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.click("#undo-last")

    def go_on(view: dict[str, Any]) -> None:
        act = {"fact": "drawing-ended"}
        more = {
            "seq": 40,
            "t_text": "",
            "text": "The drawing is done",
            "kind": "fact",
            "undoable": True,
            "undone": False,
        }
        view["history"].append({**more, "act": act})

    desk.change(go_on)
    page.wait_for_selector("#undo-last[data-seq='40']")
    page.wait_for_timeout(300)
    page.click("#undo-last")
    shows(page, "#undo-last", "The drawing is done")
    assert desk.asked == []


def test_what_happened_is_told_by_hand_and_with_the_keyboard(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.select_option("#who", "referee")
    page.focus("#tell-open")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tell")
    assert page.evaluate("document.activeElement.value") == "card-revealed"
    assert page.is_disabled(".send")
    page.focus("input[name='card'][value='red-07']")
    page.keyboard.press("Space")
    shows(page, ".sentence", "Chidi revealed red 7.")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tell", state="hidden")
    assert desk.asked == [("tell", {"fact": "card-revealed", "seat": "Chidi", "card": "red-07"}, "referee")]


def test_a_line_is_told_by_its_two_stars(open_page: Opener, desk: Any) -> None:
    page = open_page(PHONE)
    page.click("#tell-open")
    page.check("input[name='fact'][value='line-drawn']", force=True)
    page.check("input[name='star'][value='11']", force=True)
    page.check("input[name='star'][value='4']", force=True)
    page.check("input[name='colour'][value='red']", force=True)
    page.click(".send")
    page.wait_for_selector("#tell", state="hidden")
    assert desk.asked == [("tell", {"fact": "line-drawn", "a": 4, "b": 11, "colour": "red"}, "page")]


def test_a_correction_starts_from_what_was_recorded(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.click(".event[data-seq='37'] button:has-text('Correct')")
    shows(page, "#tell-title", "Ben revealed blue 3")
    assert page.is_checked("input[name='card'][value='blue-03']")
    page.check("input[name='card'][value='blue-08']", force=True)
    page.click(".send")
    page.wait_for_selector("#tell", state="hidden")
    assert desk.asked == [("correct", 37, {"fact": "card-revealed", "seat": "Ben", "card": "blue-08"}, "page")]


def test_what_cant_be_done_is_a_banner_and_loses_nothing(open_page: Opener, desk: Any) -> None:
    page = open_page()
    desk.refusal = "Chidi's card is known already: undo it first"
    page.click("#tell-open")
    page.check("input[name='card'][value='red-07']", force=True)
    page.click(".send")
    shows(page, ".banner.error", "Chidi's card is known already: undo it first")
    assert page.is_checked("input[name='card'][value='red-07']")
    desk.refusal = None
    page.click(".send")
    page.wait_for_selector("#tell", state="hidden")
    assert page.locator(".banner.error").count() == 0


def test_a_lost_service_is_declared_with_the_age_of_the_view_and_comes_back_by_itself(
    open_page: Opener, server: PageServer, desk: Any
) -> None:
    page = open_page()
    server.close()
    shows(page, ".banner.error", "connection to the service is lost")
    shows(page, ".banner-age", "s old")
    again = PageServer(desk, port=server.port, stream_cap=4)
    again.start()
    try:
        desk.change(lambda view: view.update(points=11))
        shows(page, "#points", "11")
        page.wait_for_selector(".banner", state="detached")
    finally:
        again.close()


def test_a_viewer_too_many_still_sees_the_table_change(browser: Any, desk: Any) -> None:
    full = PageServer(desk, port=0, stream_cap=0)
    full.start()
    page = browser.new_page()
    try:
        page.goto(full.url, wait_until="domcontentloaded")
        shows(page, "#points", "6")
        shows(page, ".banner", "looks again every few seconds")
        desk.change(lambda view: view.update(points=7))
        shows(page, "#points", "7")
    finally:
        page.close()
        full.close()


def test_a_lost_camera_is_declared_and_the_game_goes_on_by_hand(open_page: Opener, desk: Any) -> None:
    page = open_page()
    desk.change(lambda view: view.update(sources=[{"name": "camera", "state": "lost", "text": "The camera stopped"}]))
    shows(page, ".banner", "The camera stopped. The game goes on by hand")
    desk.change(lambda view: view.update(sources=[{"name": "camera", "state": "settled", "text": ""}]))
    page.wait_for_selector(".banner", state="detached")


def test_a_pad_is_a_badge_with_words_and_a_gap_a_banner(open_page: Opener, desk: Any) -> None:
    page = open_page()
    camera = {"name": "camera", "state": "settled", "text": ""}
    for state, text, mark in (("ready", "pad: ready", "●"), ("waiting", "looking for the pad", "◌")):
        desk.change(lambda view, s=state, t=text: view.update(sources=[camera, {"name": "pad", "state": s, "text": t}]))
        shows(page, f".source.{state}", f"{mark}{text}")
    desk.change(
        lambda view: view.update(sources=[camera, {"name": "pad", "state": "gap", "text": "The pad started anew"}])
    )
    shows(page, ".source.gap", "◑pad: something may be missing")
    shows(page, ".banner", "The pad started anew. Was there a touch meanwhile? Then tell what happened.")
    desk.change(lambda view: view.update(sources=[camera, {"name": "pad", "state": "ready", "text": "pad: ready"}]))
    page.wait_for_selector(".banner", state="detached")


def test_a_name_that_is_markup_stays_text(open_page: Opener, desk: Any) -> None:
    page = open_page()
    nasty = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"

    def rename(view: dict[str, Any]) -> None:
        view["seats"][0]["name"] = nasty
        view.update(headline=nasty, title=nasty, prompts=[{"text": nasty}])
        view["tricks"][0].update(winner=nasty, played={nasty: view["tricks"][0]["played"]["Aiko"]})
        view["expectations"][0].update(who=nasty, text=nasty, options=[nasty])
        view["history"].append(
            {"seq": 50, "t_text": nasty, "text": nasty, "kind": "fact", "undoable": True, "undone": False}
        )
        finding = {"id": "f1", "level": "proved", "rule": nasty, "text": nasty, "player": nasty, "trick": 1}
        view["findings"] = [{**finding, "proved_at": 2, "evidence": [nasty], "withdrawn": False}]
        view["questions"] = [{"id": "q7", "text": nasty, "options": [{"id": "a", "label": nasty}], "pictures": []}]
        view["outcome"] = {"winners": [nasty], "decided_by": nasty, "points": 6, "bids": {nasty: 7}}

    desk.change(rename)
    shows(page, "#headline", nasty)
    page.click("#tell-open")
    shows(page, ".pick-seat", nasty)
    assert page.locator("body img").count() == 0
    assert page.locator("body script").count() == 0
    assert "owned" not in page.title().split(" · ")[0]
    assert page.title() != "owned"


def test_a_proved_finding_shows_its_rule_and_evidence_without_a_tap(open_page: Opener, desk: Any) -> None:
    page = open_page()
    found = {
        "id": "f1",
        "level": "proved",
        "rule": "Progression of the game: follow the stated colour",
        "player": "Ben",
    }
    text = "Ben held blue 3 in trick 2 and did not follow blue."
    evidence = ["Trick 2: Aiko led blue 8", "Trick 5: Ben played blue 3"]
    more = {"trick": 2, "proved_at": 5, "text": text, "evidence": evidence, "withdrawn": False}
    desk.change(lambda view: view.update(findings=[{**found, **more}]))
    shows(page, ".finding.proved", text)
    assert page.is_visible("text=Trick 5: Ben played blue 3")
    assert page.is_visible("text=Rule: Progression of the game: follow the stated colour")
    desk.change(lambda view: view["findings"][0].update(withdrawn=True))
    shows(page, ".finding.withdrawn", "withdrawn")


def test_a_referee_rules_on_a_finding_by_a_second_tap(open_page: Opener, desk: Any) -> None:
    page = open_page()
    found = {"id": "12", "level": "illegal", "rule": "Drawing a line", "player": "Ben", "trick": 1, "proved_at": None}
    more = {"text": "Line 3-7 crosses blue 2-9.", "evidence": [], "withdrawn": False, "life": "correctable"}
    desk.change(lambda view: view.update(findings=[{**found, **more}]))
    shows(page, ".finding.illegal", "can still be put right")
    page.select_option("#who", "referee")
    page.click(".finding-acts >> text=Dismiss")
    assert desk.asked == []
    page.wait_for_timeout(400)
    page.click(".finding-acts >> text=sure?")
    page.wait_for_function("() => !document.querySelector('.finding-acts button').disabled")
    assert desk.asked == [("rule", RuleFinding(12, Verdict.DISMISSED, None, 0, "referee", ""))]
    ruling = {"verdict": "upheld", "by": "Kim", "text": "as agreed"}
    desk.change(lambda view: view["findings"][0].update(life="ruled", ruling=ruling, penalty="2 points"))
    shows(page, ".finding.illegal .tag", "upheld by Kim")
    shows(page, ".finding.illegal .tag", "2 points")
    assert page.locator(".finding-acts >> text=Uphold").count() == 0


def test_why_a_thing_is_expected_is_told_on_a_tap_and_stays_open(open_page: Opener, desk: Any) -> None:
    page = open_page(PHONE)
    why = page.locator("#expects .because").first
    assert not why.is_visible()
    page.click("#expects summary")
    assert why.is_visible()
    desk.change(lambda view: view.update(worlds="12"))
    shows(page, "#worlds", "12")
    assert page.locator("#expects .because").first.is_visible()


def test_the_end_shows_winner_bids_and_how_far_off_they_were(open_page: Opener, desk: Any) -> None:
    page = open_page()
    bids = {"Aiko": 7, "Ben": 6, "Chidi": 12}
    outcome = {"winners": ["Ben"], "decided_by": "closest bid", "points": 6, "bids": bids}
    desk.change(lambda view: view.update(phase="over", outcome=outcome, expectations=[]))
    shows(page, ".winner", "Ben wins")
    shows(page, ".decided", "closest bid")
    shows(page, ".seat:nth-child(1) .bid", "1 off")
    shows(page, ".seat.won .bid", "exact")
    shows(page, ".seat:nth-child(3) .bid", "6 off")


@pytest.mark.parametrize("size", [PHONE, {"width": 844, "height": 390}, {"width": 800, "height": 1280}, WIDE])
def test_nothing_is_wider_than_the_screen(open_page: Opener, desk: Any, size: dict[str, int]) -> None:
    page = open_page(size)

    def lengthen(view: dict[str, Any]) -> None:
        long = "Wolfeschlegelsteinhausenbergerdorff"
        view["seats"][1].update(name=long)
        for trick in view["tricks"]:
            trick["played"][long] = trick["played"].pop("Ben")
        view["history"][-1].update(text=f"{long} revealed blue 3")

    desk.change(lengthen)
    shows(page, ".seat-name", "Wolfe")
    page.click("#tell-open")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_every_control_has_a_name_and_a_size_for_a_thumb(open_page: Opener, desk: Any) -> None:
    page = open_page(PHONE)
    page.click("#tell-open")
    bare = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary")]
             .filter((n) => n.checkVisibility())
             .filter((n) => !(n.getAttribute("aria-label") || n.textContent.trim() || n.labels?.[0]?.textContent.trim()))
             .map((n) => n.outerHTML)"""
    )
    assert bare == []
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, .chip, select, summary")]
             .filter((n) => n.checkVisibility())
             .filter((n) => n.getBoundingClientRect().height < 40)
             .map((n) => n.outerHTML)"""
    )
    assert small == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_text_stands_out_from_its_ground(open_page: Opener, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    colours = page.evaluate(
        """() => {
             const style = getComputedStyle(document.documentElement);
             const names = ["sky", "sky-glow", "panel", "panel-high", "ink", "dim", "gold", "on-gold", "red", "blue", "bad",
                            "warn", "card", "card-red", "card-blue"];
             return Object.fromEntries(names.map((n) => [n, style.getPropertyValue("--" + n).trim()]));
           }"""
    )
    grounds = ["sky", "sky-glow", "panel", "panel-high"]
    pairs = [(text, ground) for text in ["ink", "dim", "gold", "bad", "warn", "red", "blue"] for ground in grounds]
    pairs += [("on-gold", "gold"), ("card-red", "card"), ("card-blue", "card"), ("sky", "ink")]
    weak = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two "#rrggbb" colours as the web's accessibility guidelines define it, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
