"""What `cribev batch` is given, and reading what it wrote."""

import pandas as pd

SHOWN = ["best_discard", "best_keep", "hand_mean", "crib_mean", "expected", "margin"]

ADDED = [*SHOWN[:4], "play_mean", *SHOWN[4:]]

GOOD = "5H 5D JS QC 2H 8D"


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def read(path):
    name = str(path).removesuffix(".gz")
    if name.endswith("parquet"):
        return pd.read_parquet(path)
    if name.endswith("jsonl"):
        return pd.read_json(path, lines=True)
    return pd.read_csv(path, sep="\t" if name.endswith("tsv") else ",")
