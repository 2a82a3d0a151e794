"""What results look like where colours are many, few, or none."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from rich.text import Text

from cribev.game import render
from cribev.tables.crib_tables import pair_chart

SHADES = np.linspace(0, 1, 101)


def heat(system, shade):
    return render.heat(Console(force_terminal=True, color_system=system), "+0.00", shade)


def luminance(colour):
    parts = np.array(colour.get_truecolor()) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("system", ["256", "truecolor"])
def test_heat_map_is_readable_at_every_shade(system):
    for shade in SHADES:
        style = heat(system, shade).style
        ink, ground = sorted([luminance(style.color), luminance(style.bgcolor)])
        assert (ground + 0.05) / (ink + 0.05) > 4
        red, green, blue = style.bgcolor.get_truecolor()
        assert green <= max(red, blue)
        assert blue >= red if shade < 0.5 else red >= blue
    assert min(heat(system, 0.5).style.bgcolor.get_truecolor()) >= 238


@pytest.mark.parametrize("system", ["standard", None])
def test_few_colours_mark_only_the_ends(system):
    styles = [str(heat(system, shade).style) for shade in (0, 0.2, 0.5, 0.8, 1)]
    assert styles == ["bold bright_blue", "bright_blue", "none", "bright_red", "bold bright_red"]


def test_small_differences_are_pale_and_zero_unsigned():
    cells = np.full((13, 13), np.nan)
    cells[0, :3], cells[1, 0] = (-0.03, 0.001, 0.7), -0.25
    chart = pair_chart("differences", cells, pd.DataFrame(), signed=True)
    shades = [shade for _, shade in chart.rows[0][1:4]]
    assert abs(shades[0] - 0.5) < 0.04
    assert shades[2] == 1
    title, _, *rows = [line.split() for line in str(chart).splitlines()]
    assert title == ["differences"]
    assert rows[:3] == [["A", "-0.03", "0.00", "+0.70"], ["2", "-0.25"], ["3"]]
    assert "full" not in str(chart)


class WordsAndFigures(render.Displayable):
    def __rich_console__(self, console, options):
        yield Text("word " * 30)
        table = render.table(console, *[("figure", "right")] * 12)
        table.add_row(*["12.34"] * 12)
        yield table


def test_wide_tables_stay_whole_in_terminals(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    file = io.StringIO()
    render.show(WordsAndFigures(), file=file)
    lines = Text.from_ansi(file.getvalue()).plain.splitlines()
    words = [line for line in lines if "word" in line]
    assert len(words) == 3
    assert max(map(len, words)) <= 60
    assert sum(line.count("12.34") == 12 for line in lines) == 1
    assert not any("…" in line for line in lines)
