from __future__ import annotations

import pytest
from tables_on_disk import Tables, small_tables


@pytest.fixture
def tables() -> Tables:
    return small_tables()
