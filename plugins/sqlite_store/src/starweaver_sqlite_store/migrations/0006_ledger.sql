-- What importers have read. A namespace-level table: its rows belong to items of a source, not to sessions.

CREATE TABLE import_ledger (
  namespace_id    TEXT    NOT NULL,
  source          TEXT    NOT NULL,
  item_key        TEXT    NOT NULL,
  fingerprint     TEXT    NOT NULL,
  reader_version  INTEGER NOT NULL,
  session_ids     TEXT    NOT NULL,
  skipped_records INTEGER NOT NULL,
  complete        INTEGER NOT NULL,
  note            TEXT,
  version         INTEGER NOT NULL,
  state           BLOB,
  PRIMARY KEY (namespace_id, source, item_key)
) STRICT, WITHOUT ROWID;
