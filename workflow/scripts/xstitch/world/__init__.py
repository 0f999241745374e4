"""The mini world: a generated multilingual universe in the formats and at the addresses of the real data."""

from xstitch.world.mirror import write_world
from xstitch.world.settings import WorldSettings

__all__ = ["WorldSettings", "write_world"]
