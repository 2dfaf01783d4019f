"""Molecules as chemists draw them, by rdkit (the extra `chem`), for pages in light and dark.

rdkit's picture is taken apart and written again: only lines, areas and letters are kept, colours
become those of the page, and lines of one look become one path. So nothing in a SMILES can reach a
page as HTML, there are no ids that could clash, and a picture takes a tenth of the bytes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from graphpool.data.molecules.atoms import chemistry, read_molecule
from graphpool.errors import MissingPackageError
from graphpool.imports import optional_module
from graphpool.report.draw.svg import colour, number, round_path, text
from graphpool.report.pictures import Array

MOST_ATOMS = 500
PAD = 10.0  # around a molecule, for the bands of its places
WIDEST = 1.3  # screen pixels per unit of a picture, at most
LARGE, BOLDEST = 600.0, 1.7
HALO = 0.55  # width of the band around a place, in lengths of a bond

# Colours of the page for elements by their atomic numbers; all others are in the colour of text.
_TONES = {7: 0, 8: 5, 15: 1, 16: 6, 9: 2, 17: 2, 35: 2, 53: 2}
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, eq=False)
class MoleculeDrawing:
    """A molecule on paper.

    Args:
        body: the inside of an SVG element of this width and height.
        position: `[atoms, 2]`, in the order of the SMILES.
        bonds: `[bonds, 2]`, their atoms.
    """

    width: float
    height: float
    body: str
    position: Array
    bonds: Array

    def is_of(self, nodes: int, edges: Iterable[Collection[int]]) -> bool:
        """Whether a graph has these atoms and bonds, in this order."""
        if nodes != len(self.position):
            return False
        return {frozenset(ends) for ends in edges} == {frozenset(e) for e in self.bonds.tolist()}


def molecule_svg(
    smiles: str,
    highlight: Sequence[int] | None = None,
    strength: Sequence[float] | None = None,
    label: str = "",
) -> str | None:
    """Return a molecule as an SVG element; None without rdkit, or if it can't be drawn.

    Args:
        highlight: the number of the place of each atom, which colours it; -1 for none.
        strength: 0 to 1 for each atom, how strong the colour is.
        label: what the picture shows, for those who can't see it.
    """
    drawing = draw_molecule(smiles, highlight, strength)
    return None if drawing is None else drawing_svg(drawing, label or smiles)


def drawing_svg(drawing: MoleculeDrawing, label: str) -> str:
    """Return the SVG element of a drawing."""
    return (
        f'<svg class="molecule" role="img" aria-label="{text(label)}" '
        f'viewBox="0 0 {number(drawing.width)} {number(drawing.height)}" '
        f'style="max-width:{WIDEST * drawing.width:.0f}px">{drawing.body}</svg>'
    )


def draw_molecule(
    smiles: str,
    highlight: Sequence[int] | None = None,
    strength: Sequence[float] | None = None,
) -> MoleculeDrawing | None:
    """Draw a molecule; arguments and result are as of `molecule_svg`."""
    try:
        chem = chemistry()
        drawer = optional_module("rdkit.Chem.Draw.rdMolDraw2D", "chem")
        depictor = optional_module("rdkit.Chem.rdDepictor", "chem")
    except MissingPackageError:
        return None
    molecule = read_molecule(chem, smiles) if smiles else None
    if molecule is None or not 0 < (atoms := molecule.GetNumAtoms()) <= MOST_ATOMS:
        return None
    if highlight is not None and len(highlight) != atoms:
        return None
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    try:
        depictor.Compute2DCoords(molecule, canonOrient=True)
        prepared = drawer.PrepareMolForDrawing(molecule, kekulize=True, addChiralHs=False)
        # The canvas is as large as the molecule: bonds have one length in all pictures. Letters
        # are text, not outlines.
        canvas = drawer.MolDraw2DSVG(-1, -1, -1, -1, True)
        options = canvas.drawOptions()
        options.clearBackground = False
        options.prepareMolsBeforeDrawing = False
        options.baseFontSize = 0.72
        tones = {} if highlight is not None else _TONES
        options.setAtomPalette({-1: _code(-1), **{at: _code(tone) for at, tone in tones.items()}})
        canvas.DrawMolecule(prepared)
        points = [canvas.GetDrawCoords(atom) for atom in range(atoms)]
        canvas.FinishDrawing()
        picture = ElementTree.fromstring(canvas.GetDrawingText())
    except (ValueError, RuntimeError, ElementTree.ParseError):  # rdkit's own are of these
        return None
    position = PAD + np.array([(point.x, point.y) for point in points])
    ends = np.array(bonds, dtype=np.int64).reshape(-1, 2)
    halo, between = "", set()
    if highlight is not None:
        between = {
            frozenset((f"atom-{i}", f"atom-{j}"))
            for i, j in bonds
            if -1 not in (highlight[i], highlight[j]) and highlight[i] != highlight[j]
        }
        shown = [1.0] * atoms if strength is None else strength
        halo = _halo(position, ends, highlight, shown)
    width, height = (
        2 * PAD + float(picture.get(name, "0").removesuffix("px")) for name in ("width", "height")
    )
    # Large molecules are shown small: their lines are drawn thicker, or they would not be seen.
    bold = min(max(width / LARGE, 1.0), BOLDEST)
    body = (
        f'{halo}<g transform="translate({PAD:g} {PAD:g})">{_structure(picture, bold, between)}</g>'
    )
    return MoleculeDrawing(width, height, body, position, ends)


def _code(tone: int) -> tuple[float, float, float]:
    """A colour that stands for a colour of the page, -1 for that of text."""
    return 0.0, 0.0, (tone + 1) / 255


def _page_colour(code: str) -> str:
    """The colour of the page that a colour in rdkit's picture stands for."""
    tone = int(code[5:7], 16) - 1 if code.startswith("#0000") and len(code) == 7 else -1
    return colour(tone) if tone >= 0 else "var(--ink)"


def _halo(
    position: Array, bonds: Array, highlight: Sequence[int], strength: Sequence[float]
) -> str:
    """A band in the colour of its place around all atoms and bonds of each place."""
    between = position[bonds[:, 0]] - position[bonds[:, 1]]
    length = float(np.median(np.hypot(*between.T))) if len(bonds) else 30.0
    paths: dict[tuple[int, int], list[str]] = defaultdict(list)
    for (x, y), place, share in zip(position.tolist(), highlight, strength, strict=True):
        if place >= 0:
            paths[place, _percent(share)].append(f"M{number(x)} {number(y)}h0")
    for a, b in bonds.tolist():
        if highlight[a] == highlight[b] >= 0:
            (x1, y1), (x2, y2) = position[[a, b]].tolist()
            way = f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"
            paths[highlight[a], _percent(min(strength[a], strength[b]))].append(way)
    # Weak colours first: a node that is shared does not cover one that is not.
    drawn = "".join(
        f'<path style="--k:{colour(place)};--p:{percent}%" d="{"".join(parts)}"/>'
        for (place, percent), parts in sorted(paths.items(), key=lambda item: item[0][::-1])
    )
    return f'<g class="halo" stroke-width="{number(HALO * length)}">{drawn}</g>'


def _percent(share: float) -> int:
    """How much of its colour a band has; in tenths, so that few paths are needed."""
    return 10 + 4 * round(10 * min(max(share, 0.0), 1.0))


def _structure(
    picture: ElementTree.Element, bold: float, between: Collection[frozenset[str]]
) -> str:
    """Bonds, `bold` times as thick, and letters of rdkit's picture, joined by their look.

    Bonds `between` two places are pale.
    """
    lines: dict[tuple[str, str], list[str]] = defaultdict(list)
    areas: dict[str, list[str]] = defaultdict(list)
    words: dict[tuple[str, str], list[str]] = defaultdict(list)
    for element in picture:
        style = _style(element)
        fill = style.get("fill", element.get("fill", "none"))
        pale = frozenset(element.get("class", "").split()[1:]) in between
        if element.tag == f"{_SVG}path":
            way = _short(element.get("d", ""))
            if fill == "none":
                width = style.get("stroke-width", "2px").removesuffix("px")
                tone = "var(--edge)" if pale else _page_colour(style.get("stroke", ""))
                lines[tone, number(bold * float(width))].append(way)
            else:
                areas["var(--edge)" if pale else _page_colour(fill)].append(way)
        elif element.tag == f"{_SVG}ellipse":
            x, y, r = (float(element.get(name, "0")) for name in ("cx", "cy", "rx"))
            areas[_page_colour(fill)].append(round_path(x, y, r))
        elif element.tag == f"{_SVG}text":
            left, base = (number(float(element.get(name, "0"))) for name in ("x", "y"))
            size = number(float(style.get("font-size", "12px").removesuffix("px")))
            letter = f'<text x="{left}" y="{base}">{text(element.text or "")}</text>'
            words[_page_colour(fill), size].append(letter)
    return (
        '<g class="bonds">'
        + "".join(
            f'<path style="stroke:{tone}" stroke-width="{width}" d="{"".join(ways)}"/>'
            for (tone, width), ways in lines.items()
        )
        + "".join(
            f'<path style="fill:{tone};stroke:none" d="{"".join(ways)}"/>'
            for tone, ways in areas.items()
        )
        + '</g><g class="atoms">'
        + "".join(
            f'<g style="fill:{tone};font-size:{size}px">{"".join(letters)}</g>'
            for (tone, size), letters in words.items()
        )
        + "</g>"
    )


def _style(element: ElementTree.Element) -> dict[str, str]:
    pairs = (part.partition(":") for part in element.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip()}


def _short(way: str) -> str:
    """Path data of letters and numbers alone, without the blanks that it does not need."""
    tokens: list[str] = []
    for token in way.replace(",", " ").split():
        if token.isalpha():
            tokens.append(token)
        else:
            before = " " if tokens and not tokens[-1].isalpha() else ""
            tokens.append(before + number(float(token)))
    return "".join(tokens)
