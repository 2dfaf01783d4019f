"""A Markdown page becomes one HTML file that needs no other."""

import re
from pathlib import Path

import pytest
from balanced_html import Balanced, parse

from graphpool.errors import ConfigError, DataError
from graphpool.report.document import write_document

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
TABLES = """
| method | A | B |
|---|---:|---:|
| hap | 85.3 ± 8.6 *(95.0)* | 80.2 *(74.0)* |
| sum | 0.012 | – *(74.0)* |

| p of hap against | A |
|---|---:|
| sum | < 0.001 |
| mean | 0.312 |

| method | A | p |
|---|---:|---:|
| sum | 0.001 *(0.001)* | 0.02 |
| mean | 0.002 | 0.2 |
"""


def page_of(folder: Path, content: str) -> tuple[str, Balanced]:
    """The HTML of a page in `docs`, written beside that folder."""
    page = folder / "docs" / "page.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(content, encoding="utf-8")
    out = write_document(page, folder / "page.html", "docs/page.md")
    html = out.read_text(encoding="utf-8")
    return html, parse(html)


def marked(html: str, name: str) -> list[str]:
    """Cells of a class, without their tags."""
    cells = re.findall(rf'<td [^>]*class="{name}"[^>]*>(.*?)</td>', html)
    return [re.sub("<[^>]*>", "", cell) for cell in cells]


def test_values_beside_published_ones_are_coloured(tmp_path: Path) -> None:
    html, parser = page_of(tmp_path, TABLES)
    assert marked(html, "below") == ["85.3 ± 8.6 (95.0) -9.7", "0.001 (0.001) 0.000"]
    assert marked(html, "above") == ["80.2 (74.0) +6.2"]
    assert ("td", "title", "9.7 below the published 95.0") in parser.attributes
    assert ("td", "style", "text-align:right;--share:0.68") in parser.attributes
    assert html.count("below the published value</span>") == 1
    assert html.index("below the published value</span>") < html.index("<table>")


def test_low_p_values_are_marked_in_tables_and_columns_of_p_values(tmp_path: Path) -> None:
    html, _ = page_of(tmp_path, TABLES)
    assert marked(html, "low-p") == ["&lt; 0.001", "0.02"]
    assert html.count("are framed") == 1
    assert html.count('<div class="table-box" tabindex="0"><table>') == 3


def test_a_page_without_results_has_no_keys(tmp_path: Path) -> None:
    html, _ = page_of(tmp_path, "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "published value" not in html
    assert "are framed" not in html
    assert "<title>T</title>" in html
    assert "<nav" not in html


def test_contents_lead_to_sections(tmp_path: Path) -> None:
    content = "# T\n\n## A `b`, c\n\ntext\n\n### Inner\n\n## Twice\n\n## Twice\n"
    html, parser = page_of(tmp_path, content)
    links = [value for tag, name, value in parser.attributes if (tag, name) == ("a", "href")]
    assert links == ["#a-b-c", "#twice", "#twice-1"]
    ids = {value for _, name, value in parser.attributes if name == "id"}
    assert {link[1:] for link in links} <= ids
    assert parser.tags.count("section") == 3
    assert ">A b, c</a>" in html


def test_pictures_are_embedded_and_nothing_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a b.svg").write_text(SVG, encoding="utf-8")
    (tmp_path / "docs" / "dot.png").write_bytes(b"\x89PNG")
    content = "![one](a%20b.svg) ![two](dot.png) ![far](https://example.org/x.png)\n"
    html, parser = page_of(tmp_path, content)
    sources = [value for tag, name, value in parser.attributes if name == "src"]
    assert [source.partition(",")[0] for source in sources] == [
        "data:image/svg+xml;base64", "data:image/png;base64",
    ]  # fmt: skip
    assert ("img", "alt", "one") in parser.attributes
    assert "script" not in parser.tags
    assert "far" in html
    assert "example.org" not in html


def test_links_lead_to_files_from_where_the_page_is_written(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text("# O\n", encoding="utf-8")
    content = (
        "[a](other.md#o) [b](page.md#x) [c](#x) [d](https://example.org) [gone](no.md) "
        "[up](../docs)\n"
    )
    html, parser = page_of(tmp_path, content)
    links = [value for tag, name, value in parser.attributes if (tag, name) == ("a", "href")]
    assert links == ["docs/other.md#o", "#x", "#x", "https://example.org", "docs"]
    assert "gone" in html


def test_raw_html_is_not_passed_on_and_marks_vanish(tmp_path: Path) -> None:
    content = (
        "<!-- toy: table -->\n| a |\n|---|\n| x |\n<!-- end -->\n\n<script>alert(1)</script>\n\n"
        "in <b onclick=x>line</b> <!-- gone --> `<!-- kept -->`\n\n[x](javascript:alert)\n"
    )
    html, parser = page_of(tmp_path, content)
    assert not {"script", "b"} & set(parser.tags)
    assert not [value for _, name, value in parser.attributes if name == "onclick"]
    assert not [value for _, name, value in parser.attributes if "javascript" in (value or "")]
    assert "&lt;script&gt;" in html
    assert "toy: table" not in html
    assert "gone" not in html
    assert "&lt;!-- kept --&gt;" in html


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(DataError, match="there is no such page; give the path"):
        write_document(page, tmp_path / "page.html")
    page.write_text("# T\n\n![x](no.png)\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"did you mean 'page.md'"):
        write_document(tmp_path / "paeg.md", tmp_path / "page.html")
    with pytest.raises(DataError, match=r"page.md, line 3: the picture .*no.png can't be read"):
        write_document(page, tmp_path / "page.html")
    with pytest.raises(ConfigError, match=r"there is no folder .*nowhere"):
        write_document(page, tmp_path / "nowhere" / "page.html")
    with pytest.raises(ConfigError, match="is the page itself"):
        write_document(page, page)
    page.write_text("![x](page.md)\n", encoding="utf-8")
    with pytest.raises(DataError, match="no picture that browsers show"):
        write_document(page, tmp_path / "page.html")
    page.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DataError, match="is not UTF-8"):
        write_document(page, tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_paths_that_no_file_system_has_are_links_to_nothing(tmp_path: Path) -> None:
    html, parser = page_of(tmp_path, f"[long]({'a' * 5000}) and [nul](%00)\n")
    assert not [name for tag, name, _ in parser.attributes if (tag, name) == ("a", "href")]
    assert "<p>long and nul</p>" in html
    with pytest.raises(DataError, match=r"line 1: the picture .* can't be read"):
        page_of(tmp_path, "![x](%00.png)\n")


def test_every_heading_has_an_anchor_of_its_own(tmp_path: Path) -> None:
    _, parser = page_of(tmp_path, "## a\n\n## a\n\n## a-1\n")
    ids = [value for tag, name, value in parser.attributes if (tag, name) == ("h2", "id")]
    assert ids == ["a", "a-1", "a-1-1"]


def test_a_byte_order_mark_hides_no_title(tmp_path: Path) -> None:
    html, _ = page_of(tmp_path, "\ufeff# Title\n")
    assert "<title>Title</title>" in html
