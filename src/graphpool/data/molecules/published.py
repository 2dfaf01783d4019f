"""Published sets of molecules: their files, columns, splits and metrics.

Nothing here imports torch or numpy: the command line needs names before either.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = "molecules"
"""Folder of the data root that holds these sets."""

SPLITS = "splits.json.gz"
_METRIC = "published metric: "
_OGB = "http://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download/{name}.zip"
_MOLECULENET = "MoleculeNet (Wu et al. 2018), scaffold split of OGB (Hu et al. 2020)"


@dataclass(frozen=True)
class MoleculeSet:
    """A published set of molecules.

    Args:
        file: in the folder `molecules` of the data root.
        targets: columns of that file.
        task: `classification`, `regression` or `multilabel`.
        metric: the published one, by its name in graphpool.
        source: whom to cite, and what is to be known of molecules and split.
        url: address of a download: a zip of OGB, or a file like `file`.
        sha256: checksum of the download, if it is known.
        smiles: column of SMILES.
        split: whether a split is published with it.
    """

    name: str
    file: str
    targets: tuple[str, ...]
    task: str
    metric: str
    source: str
    url: str | None = None
    sha256: str | None = None
    smiles: str = "smiles"
    split: bool = True

    @property
    def key(self) -> str:
        """Its name in the file of splits."""
        return self.file.partition(".")[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a set says of itself."""
        return (f"source: {self.source}", f"{_METRIC}{self.metric}")

    def find_in(self, folder: Path) -> Path | None:
        """Return its file in a folder of data, or its download there, if there is one."""
        paths = (folder / FOLDER / self.file, folder / FOLDER / f"{self.name}.zip")
        return next((path for path in paths if path.is_file()), None)


_TOX21 = (
    "NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma", "SR-ARE",
    "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53",
)  # fmt: skip

MOLECULES = {
    each.name: each
    for each in (
        MoleculeSet(
            "ESOL", "delaney.csv", ("logp",), "regression", "rmse",
            f"water solubility (Delaney 2004); {_MOLECULENET}", _OGB.format(name="esol"),
        ),
        MoleculeSet(
            "FreeSolv", "freesolv.csv", ("freesolv",), "regression", "rmse",
            f"hydration free energy (Mobley & Guthrie 2014); {_MOLECULENET}",
            _OGB.format(name="freesolv"),
        ),
        MoleculeSet(
            "BBBP", "bbbp.csv", ("p_np",), "classification", "roc_auc",
            f"blood-brain barrier (Martins et al. 2012); {_MOLECULENET}", _OGB.format(name="bbbp"),
        ),
        MoleculeSet(
            "BACE", "bace.csv", ("Class",), "classification", "roc_auc",
            f"inhibitors of BACE-1 (Subramanian et al. 2016); {_MOLECULENET}",
            _OGB.format(name="bace"), smiles="mol",
        ),
        MoleculeSet(
            "HIV", "hiv.csv.gz", ("HIV_active",), "classification", "roc_auc",
            f"inhibition of HIV replication (DTP AIDS Antiviral Screen); {_MOLECULENET}",
            _OGB.format(name="hiv"),
        ),
        MoleculeSet(
            "Tox21", "tox21.csv", _TOX21, "multilabel", "roc_auc",
            "12 toxicity assays (Tox21 Challenge 2014); MoleculeNet (Wu et al. 2018); no split is "
            "published with this file: make a scaffold split",
            _OGB.format(name="tox21"), split=False,
        ),
        MoleculeSet(
            "Peptides-func", "peptides-func.csv.gz", ("labels",), "multilabel",
            "average_precision",
            "functions of peptides; Long Range Graph Benchmark (Dwivedi et al. 2022), CC BY-NC 4.0",
            "https://www.dropbox.com/s/ol2v01usvaxbsr8/peptide_multi_class_dataset.csv.gz?dl=1",
            "e314f7dfb1ac46ef83fe5f5aa4fe502ad4527da633b64e6b997cb0c452511de3",
        ),
        MoleculeSet(
            "ZINC-12k", "zinc12k.csv.gz", ("y",), "regression", "mae",
            "penalised logP; validation and test molecules of Benchmarking GNNs (Dwivedi et al. "
            "2020); the 10,000 training molecules are a draw of our own from ZINC 250k, with the "
            "target recomputed: say so beside a result",
        ),
    )
}  # fmt: skip
"""The sets by name."""


def published_metric(notes: Iterable[str]) -> str:
    """Return the metric that is published with a set, by its notes; empty if there is none."""
    return next((note.removeprefix(_METRIC) for note in notes if note.startswith(_METRIC)), "")
