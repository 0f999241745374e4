"""How texts are read for answers."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.core.settings import Count


@dataclass(frozen=True)
class ReadingSettings:
    """Lengths in tokens; the defaults are XTREME's."""

    max_length: Count = 384
    """Of question and text together; longer texts are read in windows."""
    stride: Count = 128
    """From the beginning of one window to that of the next."""
    max_question: Count = 64
    """Longer questions are cut."""
    max_answer: Count = 30
    """Of the longest answer."""
