"""A Markdown page as one HTML file in the style of reports: no scripts, no other files.

Pictures are embedded, links to files lead there from the new file, and raw HTML is not passed on:
comments vanish, all else is shown as text. Tables scroll by themselves. Values beside published
ones are coloured by their difference, and low p-values are marked (`graphpool.report.cell_marks`).
"""

import base64
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphpool.documents import unreadable
from graphpool.errors import ConfigError, DataError, nearest
from graphpool.files import atomic_write
from graphpool.report.cell_marks import (
    FULL_DIFFERENCE,
    LOW_P,
    find_difference,
    heads_p_values,
    is_low_p,
)
from graphpool.report.draw.svg import text
from graphpool.report.page import shell

_PICTURES = {
    ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OWN = "own_html"
_DIFFERENCES = (
    '<p class="key"><span class="item"><span class="swatch box" style="--k:var(--c1)"></span>below '
    'the published value</span><span class="item"><span class="swatch box" style="--k:var(--c0)">'
    "</span>above it</span><span>The published value stands in brackets, the difference after it; "
    f"colours are full at {100 * FULL_DIFFERENCE:.0f} % of the published value.</span></p>"
)
_P_VALUES = (
    '<p class="key"><span class="item"><span class="low-p">0.012</span></span>'
    f"<span>p-values below {LOW_P:g} are framed.</span></p>"
)


def write_document(page: str | Path, out: str | Path, name: str = "") -> Path:
    """Write a Markdown page as one HTML file, which appears complete or not at all.

    Args:
        page: the Markdown file.
        out: the HTML file, in a folder that exists.
        name: what the page is called above its title, by default its path.
    """
    page, out = Path(page), Path(out)
    if not out.parent.is_dir():
        raise ConfigError(f"{out}: there is no folder {out.parent}; make it, or choose another")
    if out.exists() and page.exists() and out.samefile(page):
        raise ConfigError(f"{out}: is the page itself; choose another path")
    content = render_document(page, out, name).encode("utf-8")
    with atomic_write(out) as handle:
        handle.write(content)
    return out


def render_document(page: Path, out: Path, name: str = "") -> str:
    """Return the HTML of a page that is to be written to `out`."""
    tokens = _parser().parse(_read(page))
    _embed_pictures(tokens, page)
    _set_links(tokens, page, out)
    headings = _set_anchors(tokens)
    tokens = list(_with_tables(tokens))
    start, *sections = _sections(tokens)
    title = next((title for level, title, _ in headings if level == "h1"), page.stem)
    parts = [
        f'<header><p class="eyebrow">{text(name or page)}</p>{_html(start)}</header>',
        _contents([(title, anchor) for level, title, anchor in headings if level == "h2"]),
        *(f"<section>{_html(section)}</section>" for section in sections),
    ]
    return shell(title, f'<article class="document">{"".join(parts)}</article>', "document.css")


def _read(page: Path) -> str:
    if not page.is_file():
        others = [each.name for each in page.parent.glob("*.md")]
        hint = nearest(page.name, others) if others else "give the path of a Markdown file"
        raise DataError.at(page, "there is no such page", hint=hint)
    try:
        return page.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.at(page, "is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise unreadable(page, error) from None


# ---------------------------------------------------------------------- Markdown


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.add_render_rule(_OWN, lambda _, tokens, at, *__: tokens[at].content)
    parser.add_render_rule("html_inline", lambda _, tokens, at, *__: _visible(tokens[at].content))
    parser.add_render_rule("html_block", _html_block)
    return parser


def _html(tokens: Sequence[Token]) -> str:
    parser, environment = _parser(), dict[str, Any]()
    return str(parser.renderer.render(tokens, parser.options, environment))


def _html_block(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    shown = _visible(tokens[at].content).strip()
    return f"<p>{shown}</p>\n" if shown else ""


def _visible(raw: str) -> str:
    """Raw HTML as text, without its comments."""
    return text(_COMMENT.sub("", raw))


def _own(content: str) -> Token:
    return Token(_OWN, "", 0, content=content)


def _plain(tokens: Sequence[Token] | None) -> str:
    """The words of a heading or a cell."""
    shown = ("text", "code_inline", "image")
    words = (" " if "break" in token.type else token.content for token in tokens or ()
             if token.type in shown or "break" in token.type)  # fmt: skip
    return "".join(words)


def _sections(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands before the first heading of the second level, then a part for each of these."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0:
            parts.append([])
        parts[-1].append(token)
    return parts


def _set_anchors(tokens: Sequence[Token]) -> list[tuple[str, str, str]]:
    """Give headings the anchors that GitHub gives them; return levels, titles and anchors."""
    headings: list[tuple[str, str, str]] = []
    counts: dict[str, int] = {}
    used: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _plain(tokens[at + 1].children)
            anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            first = anchor
            while anchor in used:
                counts[first] = counts.get(first, 0) + 1
                anchor = f"{first}-{counts[first]}"
            used.add(anchor)
            token.attrSet("id", anchor)
            if token.level == 0:
                headings.append((token.tag, title, anchor))
    return headings


def _contents(headings: Sequence[tuple[str, str]]) -> str:
    if len(headings) < 2:
        return ""
    items = (f'<li><a href="#{text(anchor)}">{text(title)}</a></li>' for title, anchor in headings)
    return f'<nav class="contents" aria-label="Contents"><ul>{"".join(items)}</ul></nav>'


# ---------------------------------------------------------------------- pictures and links


def _embed_pictures(tokens: Sequence[Token], page: Path) -> None:
    """Put the pictures of a page into it; one of another server becomes its description."""
    for block in tokens:
        for at, token in enumerate(block.children or ()):
            if token.type != "image":
                continue
            source = str(token.attrGet("src"))
            if source.startswith("data:"):
                continue
            if _is_elsewhere(source):
                assert block.children is not None
                block.children[at] = Token("text", "", 0, content=token.content)
                continue
            line = block.map[0] + 1 if block.map else None
            token.attrSet("src", _data_uri(page.parent / unquote(source), page, line))


def _data_uri(picture: Path, page: Path, line: int | None) -> str:
    kind = _PICTURES.get(picture.suffix.lower())
    if kind is None:
        raise DataError.at(
            page, f"{picture} is no picture that browsers show", line=line,
            hint=f"use {', '.join(_PICTURES)}",
        )  # fmt: skip
    try:
        content = picture.read_bytes()
    except (OSError, ValueError):  # a path can't hold %00
        raise DataError.at(
            page, f"the picture {picture} can't be read", line=line,
            hint="draw it (graphpool experiments figures, or pages), or change the page",
        ) from None  # fmt: skip
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _set_links(tokens: Sequence[Token], page: Path, out: Path) -> None:
    """Make links to files lead there from `out`; what leads nowhere becomes its words."""
    for block in tokens:
        kept: list[Token] = []
        dropped = False
        for token in block.children or ():
            if token.type == "link_open":
                link = _link(str(token.attrGet("href")), page, out)
                dropped = link is None
                token.attrSet("href", link or "")
            if not (dropped and token.type in ("link_open", "link_close")):
                kept.append(token)
        if block.children is not None:
            block.children = kept


def _link(link: str, page: Path, out: Path) -> str | None:
    if link.startswith("#") or _is_elsewhere(link):
        return link
    path, mark, anchor = link.partition("#")
    target = page.parent / unquote(path)
    try:
        is_page = target.samefile(page)
    except (OSError, ValueError):  # it is not there, or no file can have such a name
        return None
    if is_page:
        return f"#{anchor}"
    relative = Path(os.path.relpath(target.resolve(), out.parent.resolve())).as_posix()
    return f"{quote(relative)}{mark}{anchor}"


def _is_elsewhere(link: str) -> bool:
    return link.startswith("//") or bool(urlsplit(link).scheme)


# ---------------------------------------------------------------------- tables


def _with_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with tables in boxes that scroll, marked cells, and a key before the first."""
    keys = [_DIFFERENCES, _P_VALUES]
    table: list[Token] | None = None
    for token in tokens:
        if token.type == "table_open":
            table = []
        if table is None:
            yield token
            continue
        table.append(token)
        if token.type == "table_close":
            needed = _mark_cells(table)
            yield from (_own(key) for key in keys if key in needed)
            keys = [key for key in keys if key not in needed]
            yield from (_own('<div class="table-box" tabindex="0">'), *table, _own("</div>"))
            table = None


def _mark_cells(table: Sequence[Token]) -> set[str]:
    """Mark cells of a table; return the keys that explain the marks."""
    head, *body = _rows(table)
    heads = [heads_p_values(cell[1].content) for cell in head]
    keys = set()
    for first, *cells in body:
        first[0].tag = first[2].tag = "th"
        first[0].attrSet("scope", "row")
        row_of_p = heads[0] or heads_p_values(first[1].content)
        for (opening, inline, _), column_of_p in zip(cells, heads[1:], strict=False):
            if (difference := find_difference(inline.content)) is not None:
                opening.attrSet("class", "above" if difference.above else "below")
                opening.attrSet("title", difference.words)
                style = str(opening.attrGet("style") or "")
                opening.attrSet("style", f"{style};--share:{difference.share:.2f}".lstrip(";"))
                small = f' <small class="difference">{text(difference.text)}</small>'
                inline.children = [*(inline.children or ()), _own(small)]
                keys.add(_DIFFERENCES)
            elif (row_of_p or column_of_p) and is_low_p(inline.content):
                opening.attrSet("class", "low-p")
                opening.attrSet("title", f"p is below {LOW_P:g}")
                keys.add(_P_VALUES)
    return keys


def _rows(table: Sequence[Token]) -> list[list[tuple[Token, Token, Token]]]:
    """The cells of every row: where each begins, what it holds, and where it ends."""
    rows: list[list[tuple[Token, Token, Token]]] = []
    for at, token in enumerate(table):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append((token, table[at + 1], table[at + 2]))
    return rows
