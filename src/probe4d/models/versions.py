"""Which packages stand between Probe4D and a model, and their versions."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from probe4d.models.lidar_lm.answering_options import is_lidar_lm
from probe4d.version import __version__

__all__ = ["versions_of"]

_LIDAR_PACKAGES = ("torch", "transformers", "peft", "safetensors")
"""Packages that a LiDAR language model is asked with."""

_PROVIDER_PACKAGES = {
    "anthropic": ("anthropic",),
    "azureai": ("azure-ai-inference",),
    "bedrock": ("aioboto3",),
    "google": ("google-genai",),
    "grok": ("xai-sdk",),
    "groq": ("groq",),
    "hf": ("torch", "transformers"),
    "mistral": ("mistralai",),
    "sglang": ("sglang",),
    "vllm": ("vllm",),
}
"""Packages that inspect-ai reaches a provider through; every other provider is reached through `openai`."""


def versions_of(model: str | None) -> dict[str, str]:
    """Versions of what takes part when a model is asked: Probe4D, Pillow, inspect-ai and the provider's packages.

    Args:
        model: inspect-ai name of the model, or name of a LiDAR language model; null where neither is asked, as with
            controls.

    Returns:
        Versions by package, those that are installed.
    """
    packages = ["pillow"]
    if model is not None and is_lidar_lm(model):
        packages += _LIDAR_PACKAGES
    elif model is not None:
        packages += ["inspect-ai", *_PROVIDER_PACKAGES.get(model.partition("/")[0], ("openai",))]
    found = {"probe4d": __version__}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # an extra that is not installed takes no part
            continue
    return found
