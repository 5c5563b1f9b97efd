"""A small release in the formats of LiDAR-Hallu, written here: two scenes, every family and format."""

from __future__ import annotations

import csv
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order

YES_NO = 'Only answer with "No" or "Yes".'
CHOICE = "Please select the correct answer and only return the choice letter (i.e., A, B, C, D) of your answer."
ANTI = " Do not favor any option based on its position; evaluate all options equally before selecting your answer."
EGO = "At the referenced frame, frame 003, the ego vehicle is moving slowly."
COLUMNS = (
    *("index", "category", "question_type", "scene_id", "frame", "start_frame", "end_frame", "object_class"),
    *("question", "reference_answer", "correct_answer", "correct_option", "prediction", "parsed_prediction"),
    *("correct", "invalid", "error", "options", "prompt"),
)
KEYFRAMES = {"000000001": 40, "000000002": 39}


def _yes_no(category: str, scene: str, stem: str, answer: str, prediction: str, **fields: Any) -> dict[str, Any]:
    return {
        "category": category,
        "question_type": "binary",
        "scene_id": scene,
        "question": f"{stem}\n{YES_NO}",
        "reference_answer": answer,
        "prediction": prediction,
        **fields,
    }


def _choice(
    category: str, scene: str, stem: str, options: list[str], letter: str, prediction: str, **fields: Any
) -> dict[str, Any]:
    lettered = dict(zip("ABCD", options, strict=True))
    block = "\n".join(f"{name}. {text}" for name, text in lettered.items())
    return {
        "category": category,
        "question_type": "mcq",
        "scene_id": scene,
        "question": f"{stem}\n{block}\n{CHOICE}",
        "reference_answer": letter,
        "correct_option": letter,
        "correct_answer": lettered[letter],
        "options": lettered,
        "prediction": prediction,
        **fields,
    }


def _records() -> dict[str, list[dict[str, Any]]]:
    one, two = KEYFRAMES
    existence, position, motion = "object_existence", "ego_relative_spatial", "motion_action"
    distance, temporal = "distance_depth", "temporal_grounding"
    exists = "Which of the following object classes is visible in frame 010?"
    where = "In frame 004, at which position is the nearest traffic cone relative to the ego vehicle?"
    proposed = "In frame 004, is the nearest car at the back-left position relative to the ego vehicle?"
    nearest = "In frame 002, which object class is closest to the ego vehicle?"
    closer = "During frames 003-011, does the nearest car become closer to the ego vehicle?"
    farther = "During frames 003-011, does the nearest car move farther away from the ego vehicle?"
    spans = [f"from frame {start:03d} to frame {end:03d}" for start, end in ((3, 8), (20, 38), (10, 19), (0, 5))]
    classes = ["car", "bus", "barrier", "truck"]
    span = {"start_frame": 3, "end_frame": 11, "object_class": "car"}
    files = {
        existence: [
            _yes_no(existence, one, "Does car exist in frame 003?", "Yes.", "No.", frame=3, object_class="car"),
            _choice(existence, two, exists, classes, "B", "A.", frame=10),
        ],
        position: [
            _yes_no(position, one, proposed, "No.", "Yes.", frame=4, object_class="car"),
            _choice(position, two, where, ["back", "left", "front", "right"], "D", "", object_class="traffic cone"),
        ],
        motion: [
            _yes_no(motion, one, closer, "Yes.", "No.", frame=3, **span),
            _yes_no(motion, one, farther, "No.", "No.", frame=3, **span),
        ],
        distance: [_choice(distance, two, nearest, classes, "A", 'A, "the\ncar"', frame=2)],
        temporal: [_choice(temporal, two, "When does the bus turn?\nName the frames.", spans, "B", "A.")],
    }
    for records in files.values():
        for index, record in enumerate(records):
            record |= {"index": index, "prompt": f"<video>\n{record['question']}", "error": None}
            # The older scoring contradicts the record on purpose: it must not be read.
            record |= {"parsed_prediction": "D", "correct": "True", "invalid": "True"}
    return files


class Release:
    """Writes the records to a folder, in the release's formats."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = deepcopy(_records())

    def anti_position(self) -> None:
        for record in (record for records in self.records.values() for record in records):
            if record["question_type"] == "mcq":
                record["question"] += ANTI
                record["prompt"] += ANTI

    def ego(self) -> None:
        for record in (record for records in self.records.values() for record in records):
            record["prompt"] = f"<video>\n<4DLiDAR>\n<meta>\n{EGO}\n{record['question']}"

    def shuffled(self, alpha: float = 1.0) -> None:
        for records in self.records.values():
            for record in records:
                seed = 42 + record["index"]
                order = shuffled_order(KEYFRAMES[record["scene_id"]], seed)
                record |= {"mitigation": "temporal_shuffle_contrastive_decoding", "contrastive_alpha": alpha}
                record |= {"shuffle_seed": seed, "shuffle_permutation": " ".join(map(str, order))}

    def write(self, *, kind: str = "csv", scenes: bool = True, categories: set[str] | None = None) -> Path:
        self.folder.mkdir(exist_ok=True)
        for category, records in self.records.items():
            if categories is None or category in categories:
                path = self.folder / f"{category}_predictions.{kind}"
                path.write_bytes(self.csv(records) if kind == "csv" else self.jsonl(records))
        if scenes:
            rows = "".join(f"{scene},token-{scene},{n}\n" for scene, n in KEYFRAMES.items())
            (self.folder / "scenes.csv").write_text("scene_id,scene_token,keyframes\n" + rows)
        return self.folder

    def csv(self, records: list[dict[str, Any]]) -> bytes:
        path = self.folder / ".scratch"
        columns = [
            *COLUMNS,
            *(name for name in records[0] if name not in COLUMNS and name.startswith(("mit", "con", "sh"))),
        ]
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\r\n", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(records)
        content = path.read_bytes()
        path.unlink()
        return content

    def jsonl(self, records: list[dict[str, Any]]) -> bytes:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()

    def write_questions(self) -> Path:
        """Write the question files `{category}.json` in the place of predictions."""
        self.folder.mkdir(exist_ok=True)
        for category, records in self.records.items():
            questions = [self.question(record) for record in records]
            (self.folder / f"{category}.json").write_text(json.dumps(questions, indent=2))
        return self.folder

    def question(self, record: dict[str, Any]) -> dict[str, Any]:
        left_out = ("index", "prediction", "reference_answer", "parsed_prediction", "correct", "invalid", "error")
        fields = {name: value for name, value in record.items() if name not in left_out}
        return fields | {
            "source": "B4DL",
            "task": record["category"],
            "split": "test",
            "scene_token": f"token-{record['scene_id']}",
            "answer": record["reference_answer"],
            "conversations": [],
        }

    def write_intervals(self) -> Path:
        """Write the events with their texts kept back."""
        (self.folder / "temporal_grounding_predictions.csv").unlink(missing_ok=True)
        lines = ["index,scene_id,A,B,C,D,correct_option,prediction"]
        for record in self.records["temporal_grounding"]:
            intervals = [f"{int(text[11:14])}-{int(text[-3:])}" for text in record["options"].values()]
            cells = [str(record["index"]), record["scene_id"], *intervals, record["correct_option"]]
            lines.append(",".join(cells) + f',"{record["prediction"]}"')
        (self.folder / "temporal_grounding_intervals.csv").write_text("\n".join(lines) + "\n")
        return self.folder
