"""The conformance kit: what a provider must do, as pytest classes a third party subclasses.

    from starweaver_host.conformance.store import SessionStoreConformance

    class TestMyStore(SessionStoreConformance):
        capabilities = frozenset({"durable"})

        @pytest.fixture
        def open_store(self):
            return lambda context: open_my_store(MyConfig(), context)

Suites are imported from the module of their noun: `store`, `transcripts`, `plugins`, and `search_suite` for search
providers. Reference providers live in `memory_store`, deliberately wrong ones in `wrong`. Needs the extra
`starweaver-host[conformance]`. Not for testing products: those are tested from the outside.

PYTEST_DONT_REWRITE (nothing here asserts, and the pytest plugin imports this package before it can be rewritten)
"""
