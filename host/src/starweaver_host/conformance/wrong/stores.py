"""Every wrong store."""

from __future__ import annotations

from .store_corpus import WRONG_CORPORA
from .store_logs import WRONG_LOGS
from .store_records import WRONG_RECORDS
from .store_runs import WRONG_RUNS
from .store_scans import WRONG_SCANS

WRONG_STORES = (*WRONG_RECORDS, *WRONG_RUNS, *WRONG_LOGS, *WRONG_CORPORA, *WRONG_SCANS)

__all__ = ["WRONG_STORES"]
