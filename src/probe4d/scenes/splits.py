"""The official splits of nuScenes, by scene name."""

from __future__ import annotations

__all__ = ["OFFICIAL_SPLITS", "is_held_out", "official_split"]

# Numbers of the scenes, ranges inclusive (nuScenes, Sec. 3 and the devkit's splits.py).
_NUMBERS = {
    "train": (
        "1-2 4-11 19-34 41-76 120-135 138-139 149-152 154-155 157-168 170-185 187-188 190-196 199-200 202-204 "
        "206-214 218-220 222 224-264 283-306 315-318 321 323-324 328 347-386 388-403 405-408 410-459 461-465 "
        "467-469 471-472 474-480 499-502 504-515 517-518 525-539 541-546 566 568 570-578 580 582-600 639-679 681 "
        "683-689 695-698 700-701 703-719 726-728 730-731 733-741 744 746-747 749-752 757-765 767-769 786-787 "
        "789-792 803-806 808-813 815-817 819-822 847-856 858 860-866 868-873 875-878 880 882-903 945 947 949 "
        "952-953 955-961 975-984 988-992 994-1025 1044-1058 1074-1102 1104-1110"
    ),
    "val": (
        "3 12-18 35-36 38-39 92-110 221 268-278 329-332 344-346 519-524 552-565 625-627 629-630 632-638 770-771 "
        "775 777-778 780-784 794-800 802 904-917 919-931 962-963 966-969 971-972 1059-1073"
    ),
    "test": (
        "77-91 111-119 140 142-148 265-266 279-282 307-314 333-343 481-498 547-551 601-604 606-624 827-831 "
        "833-842 844-846 932-933 935-943 1026-1043"
    ),
    "mini_train": "61 553 655 757 796 1077 1094 1100",
    "mini_val": "103 916",
}


def _names(ranges: str) -> frozenset[str]:
    bounds = [[int(number) for number in span.split("-")] for span in ranges.split()]
    return frozenset(f"scene-{number:04d}" for span in bounds for number in range(span[0], span[-1] + 1))


OFFICIAL_SPLITS: dict[str, frozenset[str]] = {split: _names(ranges) for split, ranges in _NUMBERS.items()}
"""Scene names of each official split of nuScenes."""

_SPLITS_OF_VERSION = {
    "v1.0-mini": ("mini_train", "mini_val"),
    "v1.0-trainval": ("train", "val"),
    "v1.0-test": ("test",),
}


def official_split(scene: str, version: str) -> str | None:
    """Split of a scene in one of the three released table folders of nuScenes.

    A scene of another version has none, even if its name is also one of nuScenes: other datasets in this
    schema number their scenes in the same way.

    Args:
        scene: Name, such as `scene-0103`.
        version: Name of the table folder, such as `v1.0-mini`.
    """
    for split in _SPLITS_OF_VERSION.get(version, ()):
        if scene in OFFICIAL_SPLITS[split]:
            return split
    return None


def is_held_out(scene: str, version: str) -> bool:
    """Whether a scene of nuScenes is kept for tests: of the official splits val and test, whatever folder it is in.

    Args:
        scene: Name, such as `scene-0103`, which v1.0-mini holds and v1.0-trainval has in val.
        version: Name of the table folder; scenes of others than the released ones are no scenes of nuScenes.
    """
    return version in _SPLITS_OF_VERSION and (scene in OFFICIAL_SPLITS["val"] or scene in OFFICIAL_SPLITS["test"])
