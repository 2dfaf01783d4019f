"""The page's CSS: light, dark and print, from phone to desk; the rules are in `style.css`."""

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


def stylesheet() -> str:
    """All rules; paper is always light, whatever the screen was."""
    rules = files("graphpool.report").joinpath("style.css").read_text(encoding="utf-8")
    return (
        f":root{{{_LIGHT}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n{rules}"
    )
