"""Data sets known by name: where they come from, and what the paper says of them."""

import glob
from dataclasses import dataclass
from pathlib import Path

from graphpool.data.formats import npz_arrays as npz
from graphpool.data.formats.gexf_files import GexfFiles
from graphpool.data.synthetic.arrangements.knobs import ABOUT as ARRANGEMENTS
from graphpool.errors import DataError

_COLLECTION = "https://www.chrsmrrs.com/graphkerneldatasets/{name}.zip"


@dataclass(frozen=True)
class PaperStatistics:
    """A row of the paper's table of data sets; `digits` are those printed of the mean."""

    graphs: int
    max_nodes: int
    mean_nodes: float
    classes: int
    digits: int = 1

    def differences(
        self, graphs: int, max_nodes: int, mean_nodes: float, classes: int
    ) -> list[str]:
        """Where a set is not the one of the paper; the mean may be rounded or cut off."""
        told = {
            "graphs": (self.graphs, graphs, 0.0),
            "largest graph": (self.max_nodes, max_nodes, 0.0),
            "mean nodes": (self.mean_nodes, mean_nodes, 10.0**-self.digits),
            "classes": (self.classes, classes, 0.0),
        }
        return [
            f"{what}: {found}, in the paper {printed}"
            for what, (printed, found, slack) in told.items()
            if abs(printed - found) > slack
        ]


@dataclass(frozen=True)
class Entry:
    """A known data set.

    Args:
        url: where the zip can be fetched; None if no one offers it in a form that we read.
        sha256: checksum of that zip, where we know it.
        paper: what the paper's table says.
        about: what a user should know before using it.
        form: how the file ends that a user would put into the data root.
        made: whether it is drawn on this machine and needs no file.
    """

    name: str
    url: str | None
    sha256: str | None = None
    paper: PaperStatistics | None = None
    about: str = ""
    form: str = ".zip"
    made: bool = False


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

# Sets with published edit distances; theirs are in the .npz form alone.
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
    **{name: Entry(name, None, about=about, form=".npz") for name, about in _DISTANCES.items()},
    **{name: Entry(name, None, about=about, made=True) for name, about in ARRANGEMENTS.items()},
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
    """The full name of a known set, however its letters are written; else `name` itself."""
    if name in KNOWN:
        return name
    wanted = name.casefold()
    spelled = {known.casefold(): known for known in KNOWN}
    spelled |= {alias.casefold(): full for alias, full in ALIASES.items()}
    return spelled.get(wanted, name)


def find(name: str, root: str | Path) -> Path | None:
    """Where the set `name` lies in the folder `root`, in any form that we read.

    These are, in this order, `NAME.npz`, which opens fastest and may hold distances too,
    `NAME.zip`, the folder `NAME` with TU or GEXF files (its `raw` folder included),
    `NAME.safetensors` and `NAME.jsonl`.
    """
    root = Path(root)
    for path in (root / f"{name}.npz", root / f"{name}.zip", root / name):
        if holds(path, name):
            return path
    for path in (root / f"{name}.safetensors", root / f"{name}.jsonl"):
        if path.is_file():
            return path
    return None


def holds(path: Path, name: str) -> bool:
    """Whether a file or folder is worth trying: a zip by its name, others by what is in them.

    A folder counts with any file of the set in it: that another one is missing is then said
    when it is read, and so is damage to a `.npz`.
    """
    if path.suffix == npz.SUFFIX and path.is_file():
        try:
            return npz.holds_graphs(path)
        except DataError:
            return True
    if path.suffix == ".zip":
        return path.is_file()
    pattern = f"{glob.escape(name)}_*.txt"
    if any(any(folder.glob(pattern)) for folder in (path, path / "raw")):
        return True
    return path.is_dir() and GexfFiles.find(path, name) is not None
