"""How texts are searched for answers."""

from __future__ import annotations

from dataclasses import dataclass

from xstitch.core.settings import Count


@dataclass(frozen=True)
class ReadingSettings:
    """Lengths in tokens; the defaults are XTREME's."""

    max_length: Count = 384
    """Of question and text together; longer texts are read in windows."""
    stride: Count = 128
    """From the start of one window to the start of the next."""
    max_question: Count = 64
    """Longer questions are cut."""
    max_answer: Count = 30
    """Length of the longest answer."""
