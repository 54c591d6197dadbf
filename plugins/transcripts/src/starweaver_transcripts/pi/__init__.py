"""Pi (and Oh My Pi, Prime): linear and tree sessions. Reads only; resuming is Pi's own business."""

from .source import PiSource

__all__ = ["PiSource"]
