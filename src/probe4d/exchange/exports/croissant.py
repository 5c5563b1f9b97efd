"""Croissant metadata of an exported dataset (MLCommons, Croissant Format Specification 1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from probe4d.exchange.exports.items import PICTURES_FOLDER, Exported
from probe4d.origins import licence_in_words
from probe4d.store.hashing import file_digest

__all__ = ["croissant"]

_VERSION = "http://mlcommons.org/croissant/1.1"


def croissant(
    exported: Exported, columns: Mapping[str, pl.DataType], *, table_file: str, folder: Path
) -> dict[str, Any]:
    """Metadata of a dataset folder.

    Args:
        exported: What is exported.
        columns: Columns of the table, with their types.
        table_file: Name of the table's file in the folder.
        folder: Folder of the export; the table is in it.
    """
    record = exported.record
    key = ["id", "variant"] if any(item.variant for item in exported.items) else ["id"]
    distribution: list[Mapping[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": table_file,
            "name": table_file,
            "contentUrl": table_file,
            "encodingFormat": "application/x-parquet",
            "sha256": file_digest(folder / table_file),
        }
    ]
    distribution += [_pictures(ending) for ending in sorted(_endings(exported))]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _VERSION,
        "name": record.suite,
        "description": f"Questions of the suite {record.suite} from {record.source.title}, "
        f"in the setting {exported.setting.name} with the evidence {exported.evidence}. README.md is the card.",
        "version": record.version,
        "license": _licence(record.source.licence),
        "citeAs": f"Probe4D {record.probe4d}: {record.suite} {record.version} from {record.source.title}",
        "isBasedOn": {"@type": "sc:Dataset", "name": record.source.title},
        "identifier": record.fingerprint,
        "distribution": distribution,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "questions",
                "name": "questions",
                "description": "One row a prompt.",
                "key": [{"@id": f"questions/{name}"} for name in key],
                "field": [_field(name, kind, table_file) for name, kind in columns.items()],
            }
        ],
    }


def _licence(words: str) -> str | dict[str, str]:
    """The address of a licence or, where that is not known, what is known of it."""
    licence = licence_in_words(words)
    if licence.url is not None:
        return licence.url
    return {"@type": "sc:CreativeWork", "name": licence.name or licence.identifier, "description": licence.words}


def _endings(exported: Exported) -> set[str]:
    return {path.rpartition(".")[2] for item in exported.items for path in item.evidence}


def _pictures(ending: str) -> dict[str, str]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{PICTURES_FOLDER}-{ending}",
        "name": f"{PICTURES_FOLDER}-{ending}",
        "description": "Pictures, named by the SHA-256 of their bytes.",
        "encodingFormat": {"jpg": "image/jpeg"}.get(ending, f"image/{ending}"),
        "includes": f"{PICTURES_FOLDER}/*.{ending}",
    }


def _field(name: str, kind: pl.DataType, table_file: str) -> dict[str, Any]:
    is_list = isinstance(kind, pl.List)
    inner = kind.inner if isinstance(kind, pl.List) else kind
    types = {pl.String: "sc:Text", pl.Int32: "sc:Integer", pl.Float64: "sc:Float"}
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"questions/{name}",
        "name": name,
        "description": _MEANINGS[name],
        "dataType": next(words for polars, words in types.items() if inner == polars),
        "source": {"fileObject": {"@id": table_file}, "extract": {"column": name}},
    }
    return field | {"isArray": True, "arrayShape": "-1"} if is_list else field


_MEANINGS: dict[str, str] = {
    "id": "Identity of the question, the same in every build.",
    "suite": "Suite that made the question.",
    "family": "Family inside the suite.",
    "template": "Template inside the family.",
    "relation": "Proposed sector or predicate.",
    "format": "Form of the answer.",
    "scene": "Name of the scene in the source dataset.",
    "keyframes": "Number of key frames of the scene.",
    "frames": "Key frames asked about, from 0.",
    "channel": "Camera asked about, where there is one.",
    "entities": "What is asked about.",
    "question": "The wording, without options and directive.",
    "options": "Texts of the options in the order of their letters; of the format text, a vocabulary.",
    "answer": "Yes or No, a letter, a number, an interval or text.",
    "rule": "Rule that gave the answer.",
    "facts": "What the rule measured, a JSON object.",
    "margin": "Distance of the measurement from the decision boundary, in the rule's unit.",
    "lidar_points": "Fewest LiDAR returns on an entity at a frame asked about.",
    "context": "What of the question's text can predict the answer.",
    "features": "The same for each option.",
    "needs": "Annotations that the answer rests on.",
    "links": "Related questions.",
    "order": "Position in the family.",
    "prompt": "The whole text that a model gets.",
    "variant": "Variant of a setting that asks more than once.",
    "pictures": "Files of the pictures that go before the prompt, in order.",
    "shown_scene": "Scene that they show, where it is not the question's own.",
}

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
