"""The pad's report as a page for the docs: tables in Markdown, and a plot in SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from xml.sax.saxutils import escape

from companion.bench.pad_report import Onset, PadReport, onsets_of

CELL, LEFT, TOP, GAP = 26, 64, 40, 34
"""Sizes in the plot, px."""
NONE_COLOUR, ALL_COLOUR = (236, 238, 241), (31, 98, 160)
WITHIN_OHM = 2_000_000
"""What a body's contact may have."""


def write(report: PadReport, folder: Path) -> tuple[Path, Path]:
    """Writes `pad-report.md` and `pad-report.svg`; returns both."""
    page, plot = folder / "pad-report.md", folder / "pad-report.svg"
    page.write_text(markdown(report), encoding="utf-8")
    plot.write_text(svg(report), encoding="utf-8")
    return page, plot


def ohms_text(ohms: int) -> str:
    """As in `500 kΩ`."""
    return f"{ohms / 1e6:g} MΩ" if ohms >= 1_000_000 else f"{ohms / 1e3:g} kΩ"


def _hums(report: PadReport) -> list[str]:
    return list(dict.fromkeys(cell.hum for cell in report.cells))


def _ohms(report: PadReport) -> list[int]:
    return sorted({cell.ohms for cell in report.cells})


def _durations(report: PadReport) -> list[float]:
    return sorted({cell.duration_ms for cell in report.cells})


# The page


def markdown(report: PadReport) -> str:
    """The whole page."""
    return "\n".join([*_head(report), *_onsets(report), *_tables(report)]) + "\n"


def _head(report: PadReport) -> list[str]:
    touches = report.cells[0].touches
    cells = len(report.cells) // len(report.invented)
    return [
        "# Which touches the pad tells",
        "",
        "Written by `hoshiban bench pad --report`; the real firmware in its simulated circuit, with the settings that it comes",
        "with: a dwell of 5 ms, of 15 ms for a release, and of 10.5 ms at least while hum crosses the level.",
        f"Each cell is {touches} touches that begin at random phases of the hum. A player who sits near wiring picks up some",
        "0.2 µA (230 V through 2 pF), a hand beside a lamp's cable 0.6 µA; a grounded computer on the USB cable makes it more.",
        "",
        "![Share of touches that are told, by duration, resistance and hum](pad-report.svg)",
        "",
        f"Touches told that were none, in a minute in which nobody touched and between {cells * touches:,} touches: "
        + "; ".join(f"{hum}: {count} and {report.beside[hum]}" for hum, count in report.invented.items())
        + ".",
        f"Longest interrupt in all of it: {report.interrupt_us:.1f} µs. Highest current through an electrode: "
        f"{report.current_ua:.1f} µA.",
        "",
    ]


def _onsets(report: PadReport) -> Iterator[str]:
    """What charging the bodies takes is known from their levels; where hum hides that, the onset has its flag and its width."""
    yield "## Onset against the truth, µs"
    yield ""
    yield "A body's contact lies between 2 kΩ and 2 MΩ. Onsets *without* a flag, which the pad states to 50 µs: least, middle and"
    yield "greatest error (early is negative)."
    yield ""
    yield from _onset_table(report, lambda onsets: _errors([one for one in onsets if one.sure]))
    yield 'Onsets *with* the flag "uncertain": their share of all told, the middle and greatest width that the pad states for'
    yield "them, and the greatest error. ∞: for so many it says that nothing bounds them."
    yield ""
    yield from _onset_table(report, _flagged)
    outside = sum(not one.kept for cell in report.cells for one in cell.onsets)
    yield f"Outside of what was stated: {outside} of {sum(len(cell.onsets) for cell in report.cells):,}."
    yield ""


def _onset_table(report: PadReport, text: Callable[[list[Onset]], str]) -> Iterator[str]:
    hums = _hums(report)
    yield "| | " + " | ".join(hums) + " |"
    yield "|---" * (len(hums) + 1) + "|"
    for ohms in _ohms(report):
        yield f"| {ohms_text(ohms)} | " + " | ".join(text(onsets_of(report, hum, ohms)) for hum in hums) + " |"
    yield ""


def _errors(onsets: list[Onset]) -> str:
    errors = [one.error_us for one in onsets]
    return f"{round(min(errors))} / {round(median(errors))} / {round(max(errors))}" if errors else "–"


def _flagged(onsets: list[Onset]) -> str:
    if not onsets:
        return "–"
    flagged = [one for one in onsets if not one.sure]
    if not flagged:
        return "0 %"
    widths = sorted(one.within_us for one in flagged if one.within_us is not None)
    stated = f"{widths[(len(widths) - 1) // 2]} / {widths[-1]}" if widths else "∞"
    unbounded = len(flagged) - len(widths)
    worst = max(abs(one.error_us) for one in flagged)
    without = f" (∞ {unbounded})" if unbounded and widths else ""
    return f"{100 * len(flagged) / len(onsets):.0f} %: {stated}{without}, {worst:.0f}"


def _tables(report: PadReport) -> Iterator[str]:
    durations = _durations(report)
    for hum in _hums(report):
        yield f"## Told, in percent: {hum}"
        yield ""
        yield "| ms | " + " | ".join(f"{ms:g}" for ms in durations) + " |"
        yield "|---" * (len(durations) + 1) + "|"
        for ohms in _ohms(report):
            shares = (f"{100 * report.cell(hum, ohms, ms).share:.0f}" for ms in durations)
            yield f"| {ohms_text(ohms)} | " + " | ".join(shares) + " |"
        yield ""


# The plot


def svg(report: PadReport) -> str:
    """One panel a hum: durations to the right, resistances downwards, a cell the darker the more touches were told."""
    durations, ohms = _durations(report), _ohms(report)
    width = LEFT + CELL * len(durations) + 16
    panel = TOP + CELL * len(ohms) + GAP
    hums = _hums(report)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {panel * len(hums)}" '
        f'font-family="sans-serif" font-size="11" fill="#20262d">',
        f'<rect width="{width}" height="{panel * len(hums)}" fill="#ffffff"/>',
    ]
    for index, hum in enumerate(hums):
        parts.extend(_panel(report, hum, panel * index))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(report: PadReport, hum: str, top: int) -> Iterator[str]:
    durations, ohms = _durations(report), _ohms(report)
    invented = report.invented.get(hum, 0)
    yield f'<text x="{LEFT}" y="{top + 22}" font-size="13" font-weight="bold">{escape(hum)}</text>'
    yield (
        f'<text x="{LEFT + CELL * len(durations)}" y="{top + 22}" text-anchor="end">told in a minute without a touch: '
        f"{invented}</text>"
    )
    for row, one in enumerate(ohms):
        y = top + TOP + CELL * row
        yield f'<text x="{LEFT - 6}" y="{y + 17}" text-anchor="end">{ohms_text(one)}</text>'
        for column, ms in enumerate(durations):
            yield from _square(report.cell(hum, one, ms).share, LEFT + CELL * column, y)
    bottom = top + TOP + CELL * len(ohms)
    for column, ms in enumerate(durations):
        yield f'<text x="{LEFT + CELL * column + CELL / 2:g}" y="{bottom + 14}" text-anchor="middle">{ms:g}</text>'
    yield f'<text x="{LEFT - 6}" y="{bottom + 14}" text-anchor="end">ms</text>'
    inside = sum(one <= WITHIN_OHM for one in ohms)
    if 0 < inside < len(ohms):
        y = top + TOP + CELL * inside
        yield f'<path d="M{LEFT} {y}H{LEFT + CELL * len(durations)}" stroke="#b3382c" stroke-width="2"/>'


def _square(share: float, x: int, y: int) -> Iterator[str]:
    mixed = (round(a + (b - a) * share) for a, b in zip(NONE_COLOUR, ALL_COLOUR, strict=True))
    colour = "#" + "".join(f"{value:02x}" for value in mixed)
    yield f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" fill="{colour}"/>'
    if 0 < share < 1:
        ink = "#ffffff" if share > 0.5 else "#20262d"
        middle = x + (CELL - 2) / 2
        yield f'<text x="{middle:g}" y="{y + 16}" text-anchor="middle" font-size="9" fill="{ink}">{100 * share:.0f}</text>'
