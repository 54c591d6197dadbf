"""SessionStoreConformance: every guarantee of `contract.store` and `contract.corpus` as a test."""

from __future__ import annotations

from .admission import AdmissionRules
from .catalog import CatalogRules
from .corpus import CorpusRules
from .deletion import DeletionRules
from .editing import EditingRules
from .feed import FeedRules
from .imports import ImportRules
from .leases import LeaseRules
from .ledger import LedgerRules
from .lifetimes import LifetimeRules
from .listing import ListingRules
from .log import LogRules
from .runs import RunRules
from .scanning import ScanningRules
from .sharing import SharingRules
from .snapshots import SnapshotRules
from .suite import Advance, OpenStore
from .visibility import VisibilityRules


class SessionStoreConformance(
    CatalogRules,
    VisibilityRules,
    ListingRules,
    EditingRules,
    DeletionRules,
    AdmissionRules,
    LeaseRules,
    RunRules,
    LogRules,
    ImportRules,
    SharingRules,
    LedgerRules,
    CorpusRules,
    ScanningRules,
    SnapshotRules,
    FeedRules,
    LifetimeRules,
):
    """The whole suite. Subclass it as `TestYourStore` and supply the fixture `open_store`.

    class TestYourStore(SessionStoreConformance):
        capabilities = frozenset({"durable", "multi_process"})

        @pytest.fixture
        def open_store(self) -> OpenStore:
            return lambda context: open_your_store(YourConfig(), context)
    """


__all__ = ["Advance", "OpenStore", "SessionStoreConformance"]
