"""Data sets known by name: where they come from, and their numbers in the paper.

Nothing here imports torch or numpy: the command line needs names and paths before either.
"""

from dataclasses import dataclass
from pathlib import Path

from graphpool.data.paths import SUFFIXES, exists, stem
from graphpool.data.synthetic.arrangements.settings import ABOUT as ARRANGEMENTS

_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"


@dataclass(frozen=True)
class PaperStatistics:
    """A row of the paper's table of data sets; the mean is printed with `digits` decimals."""

    graphs: int
    max_nodes: int
    mean_nodes: float
    classes: int
    digits: int = 1

    def differences(
        self, graphs: int, max_nodes: int, mean_nodes: float, classes: int
    ) -> list[str]:
        """List how a set differs from the paper's; the mean may be rounded or cut off."""
        rows = {
            "graphs": (self.graphs, graphs, 0.0),
            "largest graph": (self.max_nodes, max_nodes, 0.0),
            "mean nodes": (self.mean_nodes, mean_nodes, 10.0**-self.digits),
            "classes": (self.classes, classes, 0.0),
        }
        return [
            f"{what}: {found}, in the paper {printed}"
            for what, (printed, found, slack) in rows.items()
            if abs(printed - found) > slack
        ]


@dataclass(frozen=True)
class Entry:
    """A known data set.

    Args:
        url: address of its zip; None if it is not offered online in a format that we read.
        sha256: checksum of that zip, if known.
        paper: its row in the paper's table.
        about: what a user should know before using it.
        suffix: of the file that a user would put into the data root.
        generated: whether it is generated and needs no file.
    """

    name: str
    url: str | None
    sha256: str | None = None
    paper: PaperStatistics | None = None
    about: str = ""
    suffix: str = ".zip"
    generated: bool = False


PAPER = {
    "IMDB-BINARY": PaperStatistics(1000, 136, 19.8, 2),
    "IMDB-MULTI": PaperStatistics(1500, 89, 13.0, 3),
    "COLLAB": PaperStatistics(5000, 492, 74.0, 3, digits=0),
    "MUTAG": PaperStatistics(188, 28, 17.9, 2),
    "PROTEINS": PaperStatistics(1113, 620, 39.1, 2),
    "PTC": PaperStatistics(344, 109, 25.5, 2),
}

_ONLINE = (
    "AIDS", "BZR", "BZR_MD", "COIL-DEL", "COIL-RAG", "COLLAB", "COLORS-3", "COX2", "COX2_MD",
    "Cuneiform", "DD", "DHFR", "DHFR_MD", "ENZYMES", "ER_MD", "FIRSTMM_DB", "FRANKENSTEIN",
    "Fingerprint", "IMDB-BINARY", "IMDB-MULTI", "KKI", "Letter-high", "Letter-low", "Letter-med",
    "MSRC_21", "MSRC_21C", "MSRC_9", "MUTAG", "Mutagenicity", "NCI1", "NCI109", "OHSU", "PROTEINS",
    "PROTEINS_full", "PTC_FM", "PTC_FR", "PTC_MM", "PTC_MR", "Peking_1", "REDDIT-BINARY",
    "REDDIT-MULTI-12K", "REDDIT-MULTI-5K", "SYNTHETIC", "Synthie", "TRIANGLES", "deezer_ego_nets",
    "github_stargazers", "twitch_egos",
)  # fmt: skip

_ABOUT = {
    "PTC": "the 344 graphs of the DGCNN and GIN papers, up to 109 nodes; not PTC_MR",
    "EXP": "pairs of graphs that colour refinement can't tell apart",
    "CEXP": "pairs of graphs, half of which colour refinement can't tell apart",
}

# Sets with published edit distances, which only their .npz files hold.
_DISTANCES = {
    "AIDS700nef": "700 molecules of up to 10 atoms with their edit distances",
    "LINUX": "1000 program graphs of up to 10 nodes with their edit distances",
}

KNOWN: dict[str, Entry] = {
    **{
        name: Entry(name, _COLLECTION.format(name=name), paper=PAPER.get(name)) for name in _ONLINE
    },
    **{name: Entry(name, None, paper=PAPER.get(name), about=about)
       for name, about in _ABOUT.items()},
    **{name: Entry(name, None, about=about, suffix=".npz") for name, about in _DISTANCES.items()},
    **{name: Entry(name, None, about=about, generated=True)
       for name, about in ARRANGEMENTS.items()},
}  # fmt: skip

ALIASES = {
    "IMDB-B": "IMDB-BINARY",
    "IMDB-M": "IMDB-MULTI",
    "REDDIT-B": "REDDIT-BINARY",
    "REDDIT-M5K": "REDDIT-MULTI-5K",
    "REDDIT-M12K": "REDDIT-MULTI-12K",
    "D&D": "DD",
    "AIDS700": "AIDS700nef",
}


def resolve(name: str) -> str:
    """Return the full name of a known set, in any spelling; else `name` itself."""
    if name in KNOWN:
        return name
    wanted = name.casefold()
    spelled = {known.casefold(): known for known in KNOWN}
    spelled |= {alias.casefold(): full for alias, full in ALIASES.items()}
    return spelled.get(wanted, name)


def is_path(data: str) -> bool:
    """Whether this is meant as a file or folder, and not as a name."""
    path = Path(data)
    if path.suffix in SUFFIXES or "/" in data or len(path.parts) > 1:
        return True
    return exists(path) and resolve(data) not in KNOWN


def short_name(data: str) -> str:
    """Return what a set is called, given its name or its path."""
    return stem(Path(data))
