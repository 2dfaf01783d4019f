"""Data sets known by name: where they come from, and their numbers in the paper.

Nothing here imports torch or numpy: the command line needs names and paths before either.
"""

from dataclasses import dataclass
from pathlib import Path

from graphpool.data.data_string import plain_data
from graphpool.data.molecules.published import MOLECULES
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

# Checksums of the unpacked files of a set, as `locate` computes them; a zip may be packed anew.
CONTENT = {
    "AIDS": "3c949152c0759f729967282fcf7f58bb04ba39b657eeb4643547bc3287ea6dd4",
    "COX2": "e2ac2963bc967f8b96e32adb242bb14f243affed1500e1cb789dc5855158e533",
    "DHFR": "8474a372894597c1ba76f6d5d817c4f6873cd51ec8f0c64f47debe56b3093092",
    "IMDB-BINARY": "720d62b21ffd272d1045f9f7e122e1efe8e0826aef27d22e3d3e01a460e06d2c",
    "IMDB-MULTI": "7528004ab96e8233cfe745cc80cd70ebfaacd3758bb9b13c20a6ebb6cd3fe04d",
    "MSRC_9": "10ac535a8c20226d3f40f74cb730a74e9e54c2bd31cb0e9f4d61b91dad6425ff",
    "MUTAG": "1e4a1991a079ee50ea89aa20d877877fa06bbde8d7230e4e1f3bd7fc7dd9f2d6",
    "Mutagenicity": "ada8cc3aff17ddadddedbe49747b8161e6692215776038731f6bb4a42b8609c5",
    "NCI109": "685069412fb25cd16751066700531896ab8a5deb9cb35376e47ea0e1e6b29f9e",
    "PROTEINS": "671b83b3fe79f2d3f4d4cd5861aa83b262b68687fa5ad9b58ff7c7425f484d4e",
    "PTC_FR": "825d9ab9bb7796505468d81735851305c7feb5a867de08003ad5b42445196469",
    "PTC_MM": "697c3bea970e01facf67f35e7ec16d50f5e1468b8f0286e5c6a2bb5029f627a3",
    "PTC_MR": "59dcf9a0c28544b3309a28e2a0f6cf87cffc779526a48851dc185cf5889e0776",
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
    **{name: Entry(name, each.url, about=each.source, suffix=".csv")
       for name, each in MOLECULES.items()},
}  # fmt: skip

ALIASES = {
    "IMDB-B": "IMDB-BINARY",
    "IMDB-M": "IMDB-MULTI",
    "REDDIT-B": "REDDIT-BINARY",
    "REDDIT-M5K": "REDDIT-MULTI-5K",
    "REDDIT-M12K": "REDDIT-MULTI-12K",
    "D&D": "DD",
    "AIDS700": "AIDS700nef",
    "delaney": "ESOL",
    "ZINC12k": "ZINC-12k",
    "Peptides": "Peptides-func",
    **{f"ogbg-mol{name.lower()}": name for name in ("ESOL", "FreeSolv", "BBBP", "BACE", "HIV")},
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
    data = plain_data(data)
    path = Path(data)
    if path.suffix in SUFFIXES or "/" in data or len(path.parts) > 1:
        return True
    return exists(path) and resolve(data) not in KNOWN


def short_name(data: str) -> str:
    """Return what a set is called, given its name or its path."""
    return stem(Path(plain_data(data)))
