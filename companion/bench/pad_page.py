"""The pad's report as a page for the docs: tables in Markdown, and a plot in SVG."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from companion.bench.pad_report import PadReport, onset_errors

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
    """Where the firmware is not to blame, charging the bodies' own capacitance is."""
    hums = _hums(report)
    yield "## Onset against the truth, µs: least, middle, greatest"
    yield ""
    yield "A body's contact lies between 2 kΩ and 2 MΩ. Early is negative: a known lag of 10 µs is taken off every touch."
    yield ""
    yield "| | " + " | ".join(hums) + " |"
    yield "|---" * (len(hums) + 1) + "|"
    for ohms in _ohms(report):
        found = (onset_errors(report, hum, ohms) for hum in hums)
        texts = ("–" if one is None else " / ".join(f"{value:.0f}" for value in one) for one in found)
        yield f"| {ohms_text(ohms)} | " + " | ".join(texts) + " |"
    yield ""


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
