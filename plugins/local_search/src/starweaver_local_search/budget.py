"""What one page may spend: time by the injected clock, and bytes of text."""

from __future__ import annotations

from starweaver_host.contract.registration import Clock

from .config import LocalSearchConfig


class ScanBudget:
    """Counts one page's scan. The deadline runs from construction."""

    def __init__(self, config: LocalSearchConfig, clock: Clock) -> None:
        self._clock = clock
        self._deadline = clock.monotonic() + config.scan_timeout_ms / 1000
        self._bytes_left = config.max_scan_bytes

    def spend(self, size_bytes: int) -> None:
        """Count scanned text."""
        self._bytes_left -= size_bytes

    def is_spent(self) -> bool:
        """Tell whether the scan should stop."""
        return self._bytes_left <= 0 or self._clock.monotonic() >= self._deadline


__all__ = ["ScanBudget"]
