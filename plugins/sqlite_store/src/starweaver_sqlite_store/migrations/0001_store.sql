-- What describes the file itself, and the position of the change feed per namespace.

CREATE TABLE store_meta (
  key   TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Raised in the transaction of every change; a session keeps the position of its latest one.
CREATE TABLE feed_state (
  namespace_id TEXT    NOT NULL PRIMARY KEY,
  position     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
