"""The page's CSS: light, dark and print, from phone to desk; the rules are in `style.css`."""

import re
from importlib.resources import files

from graphpool.report.draw.svg import DARK, LIGHT, palette_css

_LIGHT = (
    "color-scheme:light;--paper:#faf9f6;--card:#fff;--ink:#23272c;--soft:#6a7079;--line:#e4e1da;"
    "--accent:#0b6aa8;--tint:#eaf2f8;--alert:#a63c06;--alert-tint:#fdf1e8;--good:#0a7a58;"
    "--edge:#9a9fa6;" + palette_css(LIGHT)
)
_DARK = (
    "color-scheme:dark;--paper:#14171b;--card:#1b1f24;--ink:#e7e5e0;--soft:#9aa1ab;--line:#2f353c;"
    "--accent:#6bb5ee;--tint:#1c2a36;--alert:#f2a173;--alert-tint:#33241a;--good:#4ecba3;"
    "--edge:#6d757f;" + palette_css(DARK)
)

# What pictures of graphs need; nodes and bands have their colours beside them.
_DRAWN = (".edges{", ".edges .between", ".backing", ".label", ".bonds", ".atoms", ".halo{")

# Characters of labels that XML does not have.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def stylesheet(*more: str) -> str:
    """All rules; paper is always light, whatever the screen was.

    Args:
        more: names of files with further rules.
    """
    folder = files("graphpool.report")
    rules = "".join(
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("style.css", *more)
    )
    return (
        f":root{{{_LIGHT}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n{rules}"
    )


def plain_style(svg: str) -> str:
    """Return an SVG document with the rules and light colours of a page written into it.

    Variables and mixed colours are worked out: other programs than browsers don't know them.
    """
    rules = files("graphpool.report").joinpath("style.css").read_text(encoding="utf-8")
    used = [rule for rule in re.findall(r"\.[^{}@]+\{[^{}]*\}", rules) if rule.startswith(_DRAWN)]
    end = svg.index(">") + 1
    svg = f"{svg[:end]}<style>{''.join(used)}</style>{svg[end:]}"
    values = dict(re.findall(r"(--\w+):([^;]+);", _LIGHT))
    svg = re.sub(r"var\((--\w\w+)\)", lambda found: values[found[1]], svg)
    svg = re.sub(
        r'style="--k:(#\w+);--p:(\d+)%"',
        lambda found: f'stroke="{_on_white(*found.groups())}"',
        svg,
    )
    svg = re.sub(r"--k:(#\w+);", r"fill:\1;stroke:\1;", svg)
    return _NOT_XML.sub("\ufffd", svg)


def _on_white(colour: str, percent: str) -> str:
    """A colour of six digits on white paper, at an opacity in percent."""
    mixed = (255 - (255 - int(colour[at : at + 2], 16)) * int(percent) / 100 for at in (1, 3, 5))
    return "#" + "".join(f"{round(part):02x}" for part in mixed)
