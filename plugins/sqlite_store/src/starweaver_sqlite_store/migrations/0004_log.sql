-- The event log, in segments: a run of consecutive events as one JSON array, compressed above 1 KiB.
-- The small columns stand before the body, so that finding a segment never reads one.

CREATE TABLE segments (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  incarnation  INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL,
  raw_bytes    INTEGER NOT NULL,
  codec        INTEGER NOT NULL CHECK (codec IN (0, 1)),
  body         BLOB    NOT NULL,
  PRIMARY KEY (namespace_id, session_id, first_seq)
) STRICT;

-- Which sessions hold which message, by the first eight bytes of its identity's hash, as an integer.
CREATE TABLE message_identities (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  identity     INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id, identity)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_identities_shared ON message_identities (namespace_id, identity);
