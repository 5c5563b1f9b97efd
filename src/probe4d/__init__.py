"""Probe4D builds questions whose answers follow from geometry, asks any model, and shows what its answers depend on.

The names below are loaded when first used, so that `import probe4d` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from probe4d.version import __version__

if TYPE_CHECKING:
    from probe4d.benchmarks.b4dl.annotations import annotations_of
    from probe4d.benchmarks.b4dl.claims import verdicts_of
    from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
    from probe4d.benchmarks.question import Question
    from probe4d.benchmarks.splits import select_split
    from probe4d.benchmarks.suites import build, check
    from probe4d.diagnosis.agreement.judgements import with_judgements
    from probe4d.diagnosis.agreement.text_metrics import with_text_metrics
    from probe4d.diagnosis.agreement.with_people import JudgeLabels, judge_agreement, write_agreement
    from probe4d.diagnosis.controls.runs import control_model
    from probe4d.diagnosis.diagnose import Diagnosis, diagnose
    from probe4d.diagnosis.judging.dry_run import dry_judge
    from probe4d.diagnosis.judging.judgements import Judgements, read_judgements
    from probe4d.diagnosis.judging.judging import judge
    from probe4d.diagnosis.judging.plan import JudgePlan
    from probe4d.diagnosis.judging.prepared import prepare_judging
    from probe4d.diagnosis.text_metrics.bert_score import BertScore
    from probe4d.diagnosis.text_metrics.bleu import Bleu
    from probe4d.diagnosis.text_metrics.dc_score import Diversity, diversity
    from probe4d.diagnosis.text_metrics.meteor import Meteor
    from probe4d.diagnosis.text_metrics.question_answers import read_question_answers
    from probe4d.diagnosis.text_metrics.rouge import RougeL
    from probe4d.diagnosis.text_metrics.scoring import compare_corpora, score_texts
    from probe4d.evidence.camera_images import CameraImages
    from probe4d.evidence.point_clouds import PointClouds
    from probe4d.exchange.answers import import_answers
    from probe4d.exchange.b4dl_release.importing import import_b4dl
    from probe4d.exchange.b4dl_release.writing import export_b4dl
    from probe4d.exchange.detected_objects import detect_objects
    from probe4d.exchange.detections import read_detections
    from probe4d.exchange.exports.export import export
    from probe4d.exchange.exports.training import export_training
    from probe4d.exchange.inspect_log import write_inspect_log
    from probe4d.exchange.judge_labels import read_judge_labels
    from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
    from probe4d.exchange.released_training import import_training
    from probe4d.exchange.waypoints import import_waypoints
    from probe4d.models.course import Course
    from probe4d.models.detectors.detecting import detect
    from probe4d.models.detectors.loading import load_detector
    from probe4d.models.generation import Generation
    from probe4d.models.lidar_lm.answering_options import LidarOptions
    from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
    from probe4d.models.lidar_lm.checkpoints.released import save_released_checkpoint
    from probe4d.models.lidar_lm.encoder import load_encoder
    from probe4d.models.lidar_lm.encoding import encode
    from probe4d.models.lidar_lm.features import FeatureFolder
    from probe4d.models.lidar_lm.image_tower import load_image_tower
    from probe4d.models.lidar_lm.language_model import LidarLanguageModel
    from probe4d.models.lidar_lm.training.encoder import embed_images, new_encoder, train_encoder
    from probe4d.models.lidar_lm.training.encoder_options import EncoderTraining
    from probe4d.models.lidar_lm.training.options import training_options
    from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows, with_ego_text
    from probe4d.models.lidar_lm.training.stages import train_lora, train_model, train_projector
    from probe4d.models.presets import preset_named
    from probe4d.models.request import Model, ModelFailure, Reply, Request
    from probe4d.report.page import write_report
    from probe4d.report.video.options import VideoOptions
    from probe4d.report.video.render import render_video
    from probe4d.report.viewer import open_in_rerun, write_rerun
    from probe4d.review.applying import apply_review
    from probe4d.review.people import write_human_run
    from probe4d.review.proposals import read_proposals
    from probe4d.review.proposing import propose_references
    from probe4d.review.sheet import write_review_sheet
    from probe4d.runs.ask import ask
    from probe4d.runs.dry_run import dry_run
    from probe4d.runs.evidence_plan import evidence_named
    from probe4d.runs.generating import HostedGenerator
    from probe4d.runs.plan import RunPlan
    from probe4d.runs.prepared import prepare
    from probe4d.runs.prompt_lines import write_prompts
    from probe4d.runs.run import Run, read_run
    from probe4d.runs.selection import Selection
    from probe4d.runs.verbalizing import HostedVerbalizer
    from probe4d.scenes.estimated.estimating import estimate_objects
    from probe4d.scenes.estimated.filters import DetectionFilters
    from probe4d.scenes.estimated.objects_file import read_objects, write_objects
    from probe4d.scenes.estimated.road_users import ROAD_USER_PROMPTS
    from probe4d.scenes.opening import open_scenes
    from probe4d.scenes.sanity import inspect
    from probe4d.scenes.simulator.simulate import simulate
    from probe4d.scenes.tables import Scenes
    from probe4d.scenes.waymo.conversion import convert_waymo
    from probe4d.scenes.wod_e2e.conversion import convert_wod_e2e

__all__ = [
    "ROAD_USER_PROMPTS",
    "Benchmark",
    "BertScore",
    "Bleu",
    "CameraImages",
    "Course",
    "DetectionFilters",
    "Diagnosis",
    "Diversity",
    "EncoderTraining",
    "FeatureFolder",
    "Generation",
    "HostedGenerator",
    "HostedVerbalizer",
    "JudgeLabels",
    "JudgePlan",
    "Judgements",
    "LidarLanguageModel",
    "LidarOptions",
    "Meteor",
    "Model",
    "ModelFailure",
    "PointClouds",
    "Question",
    "Reply",
    "Request",
    "RougeL",
    "Run",
    "RunPlan",
    "Scenes",
    "Selection",
    "TrainingRow",
    "VideoOptions",
    "__version__",
    "annotations_of",
    "apply_review",
    "ask",
    "build",
    "check",
    "compare_corpora",
    "control_model",
    "convert_waymo",
    "convert_wod_e2e",
    "detect",
    "detect_objects",
    "diagnose",
    "diversity",
    "dry_judge",
    "dry_run",
    "embed_images",
    "encode",
    "estimate_objects",
    "evidence_named",
    "export",
    "export_b4dl",
    "export_training",
    "import_answers",
    "import_b4dl",
    "import_lidar_hallu",
    "import_training",
    "import_waypoints",
    "inspect",
    "judge",
    "judge_agreement",
    "load_detector",
    "load_encoder",
    "load_image_tower",
    "load_lidar_lm",
    "new_encoder",
    "open_in_rerun",
    "open_scenes",
    "prepare",
    "prepare_judging",
    "preset_named",
    "propose_references",
    "read_benchmark",
    "read_detections",
    "read_judge_labels",
    "read_judgements",
    "read_objects",
    "read_proposals",
    "read_question_answers",
    "read_run",
    "read_training_rows",
    "render_video",
    "save_released_checkpoint",
    "score_texts",
    "select_split",
    "simulate",
    "train_encoder",
    "train_lora",
    "train_model",
    "train_projector",
    "training_options",
    "verdicts_of",
    "with_ego_text",
    "with_judgements",
    "with_text_metrics",
    "write_agreement",
    "write_human_run",
    "write_inspect_log",
    "write_objects",
    "write_prompts",
    "write_report",
    "write_rerun",
    "write_review_sheet",
]

_HOMES = {
    "Benchmark": "probe4d.benchmarks.benchmark",
    "BertScore": "probe4d.diagnosis.text_metrics.bert_score",
    "Bleu": "probe4d.diagnosis.text_metrics.bleu",
    "CameraImages": "probe4d.evidence.camera_images",
    "Course": "probe4d.models.course",
    "DetectionFilters": "probe4d.scenes.estimated.filters",
    "Diagnosis": "probe4d.diagnosis.diagnose",
    "Diversity": "probe4d.diagnosis.text_metrics.dc_score",
    "EncoderTraining": "probe4d.models.lidar_lm.training.encoder_options",
    "FeatureFolder": "probe4d.models.lidar_lm.features",
    "Generation": "probe4d.models.generation",
    "HostedGenerator": "probe4d.runs.generating",
    "HostedVerbalizer": "probe4d.runs.verbalizing",
    "JudgeLabels": "probe4d.diagnosis.agreement.with_people",
    "JudgePlan": "probe4d.diagnosis.judging.plan",
    "Judgements": "probe4d.diagnosis.judging.judgements",
    "LidarLanguageModel": "probe4d.models.lidar_lm.language_model",
    "LidarOptions": "probe4d.models.lidar_lm.answering_options",
    "Meteor": "probe4d.diagnosis.text_metrics.meteor",
    "Model": "probe4d.models.request",
    "ModelFailure": "probe4d.models.request",
    "PointClouds": "probe4d.evidence.point_clouds",
    "Question": "probe4d.benchmarks.question",
    "ROAD_USER_PROMPTS": "probe4d.scenes.estimated.road_users",
    "Reply": "probe4d.models.request",
    "Request": "probe4d.models.request",
    "RougeL": "probe4d.diagnosis.text_metrics.rouge",
    "Run": "probe4d.runs.run",
    "RunPlan": "probe4d.runs.plan",
    "Scenes": "probe4d.scenes.tables",
    "Selection": "probe4d.runs.selection",
    "TrainingRow": "probe4d.models.lidar_lm.training.rows",
    "VideoOptions": "probe4d.report.video.options",
    "annotations_of": "probe4d.benchmarks.b4dl.annotations",
    "apply_review": "probe4d.review.applying",
    "ask": "probe4d.runs.ask",
    "propose_references": "probe4d.review.proposing",
    "build": "probe4d.benchmarks.suites",
    "check": "probe4d.benchmarks.suites",
    "compare_corpora": "probe4d.diagnosis.text_metrics.scoring",
    "control_model": "probe4d.diagnosis.controls.runs",
    "convert_waymo": "probe4d.scenes.waymo.conversion",
    "convert_wod_e2e": "probe4d.scenes.wod_e2e.conversion",
    "detect": "probe4d.models.detectors.detecting",
    "detect_objects": "probe4d.exchange.detected_objects",
    "diagnose": "probe4d.diagnosis.diagnose",
    "diversity": "probe4d.diagnosis.text_metrics.dc_score",
    "dry_judge": "probe4d.diagnosis.judging.dry_run",
    "dry_run": "probe4d.runs.dry_run",
    "embed_images": "probe4d.models.lidar_lm.training.encoder",
    "encode": "probe4d.models.lidar_lm.encoding",
    "estimate_objects": "probe4d.scenes.estimated.estimating",
    "evidence_named": "probe4d.runs.evidence_plan",
    "export": "probe4d.exchange.exports.export",
    "export_b4dl": "probe4d.exchange.b4dl_release.writing",
    "export_training": "probe4d.exchange.exports.training",
    "import_answers": "probe4d.exchange.answers",
    "import_b4dl": "probe4d.exchange.b4dl_release.importing",
    "import_lidar_hallu": "probe4d.exchange.lidar_hallu_release",
    "import_training": "probe4d.exchange.released_training",
    "import_waypoints": "probe4d.exchange.waypoints",
    "inspect": "probe4d.scenes.sanity",
    "judge": "probe4d.diagnosis.judging.judging",
    "judge_agreement": "probe4d.diagnosis.agreement.with_people",
    "load_detector": "probe4d.models.detectors.loading",
    "load_encoder": "probe4d.models.lidar_lm.encoder",
    "load_image_tower": "probe4d.models.lidar_lm.image_tower",
    "load_lidar_lm": "probe4d.models.lidar_lm.checkpoints.checkpoint",
    "new_encoder": "probe4d.models.lidar_lm.training.encoder",
    "open_in_rerun": "probe4d.report.viewer",
    "open_scenes": "probe4d.scenes.opening",
    "prepare": "probe4d.runs.prepared",
    "prepare_judging": "probe4d.diagnosis.judging.prepared",
    "preset_named": "probe4d.models.presets",
    "read_proposals": "probe4d.review.proposals",
    "read_benchmark": "probe4d.benchmarks.benchmark",
    "read_detections": "probe4d.exchange.detections",
    "read_judge_labels": "probe4d.exchange.judge_labels",
    "read_judgements": "probe4d.diagnosis.judging.judgements",
    "read_objects": "probe4d.scenes.estimated.objects_file",
    "read_question_answers": "probe4d.diagnosis.text_metrics.question_answers",
    "read_run": "probe4d.runs.run",
    "read_training_rows": "probe4d.models.lidar_lm.training.rows",
    "render_video": "probe4d.report.video.render",
    "save_released_checkpoint": "probe4d.models.lidar_lm.checkpoints.released",
    "score_texts": "probe4d.diagnosis.text_metrics.scoring",
    "select_split": "probe4d.benchmarks.splits",
    "simulate": "probe4d.scenes.simulator.simulate",
    "train_encoder": "probe4d.models.lidar_lm.training.encoder",
    "train_lora": "probe4d.models.lidar_lm.training.stages",
    "train_model": "probe4d.models.lidar_lm.training.stages",
    "train_projector": "probe4d.models.lidar_lm.training.stages",
    "training_options": "probe4d.models.lidar_lm.training.options",
    "verdicts_of": "probe4d.benchmarks.b4dl.claims",
    "with_ego_text": "probe4d.models.lidar_lm.training.rows",
    "with_judgements": "probe4d.diagnosis.agreement.judgements",
    "with_text_metrics": "probe4d.diagnosis.agreement.text_metrics",
    "write_agreement": "probe4d.diagnosis.agreement.with_people",
    "write_human_run": "probe4d.review.people",
    "write_inspect_log": "probe4d.exchange.inspect_log",
    "write_objects": "probe4d.scenes.estimated.objects_file",
    "write_prompts": "probe4d.runs.prompt_lines",
    "write_report": "probe4d.report.page",
    "write_rerun": "probe4d.report.viewer",
    "write_review_sheet": "probe4d.review.sheet",
}


_LIDAR = "probe4d.models.lidar_lm"


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        try:
            return getattr(importlib.import_module(_HOMES[name]), name)
        except ModuleNotFoundError:
            if _HOMES[name].startswith(_LIDAR):
                importlib.import_module(f"{_LIDAR}.needs").refuse_missing()
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
