-- Runs, the lease of the active one, and what an executor keeps to resume one.
-- `texts` is the JSON array of a run's input parts and its output preview, packed by `texts_codec`.

CREATE TABLE runs (
  namespace_id    TEXT    NOT NULL,
  session_id      TEXT    NOT NULL,
  run_id          TEXT    NOT NULL,
  sequence_no     INTEGER NOT NULL,
  status          TEXT    NOT NULL CHECK (
    status IN ('queued', 'starting', 'running', 'waiting', 'completed', 'failed', 'cancelled')
  ),
  trigger         TEXT    NOT NULL,
  texts_codec     INTEGER NOT NULL CHECK (texts_codec IN (0, 1)),
  error_code      TEXT,
  error_message   TEXT,
  profile         TEXT,
  parent_run_id   TEXT,
  caused_by       TEXT,
  revision        INTEGER NOT NULL DEFAULT 1,
  created_at      INTEGER NOT NULL,
  started_at      INTEGER,
  ended_at        INTEGER,
  updated_at      INTEGER NOT NULL,
  input_identity  BLOB,
  output_identity BLOB,
  texts           BLOB    NOT NULL,
  PRIMARY KEY (namespace_id, session_id, run_id)
) STRICT;

CREATE UNIQUE INDEX runs_sequence ON runs (namespace_id, session_id, sequence_no);
CREATE UNIQUE INDEX runs_one_active ON runs (namespace_id, session_id)
  WHERE status IN ('queued', 'starting', 'running', 'waiting');

CREATE TABLE leases (
  namespace_id     TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,
  run_id           TEXT    NOT NULL,
  admission_id     TEXT    NOT NULL,
  host_instance_id TEXT    NOT NULL,
  generation       INTEGER NOT NULL,
  expires_at       INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX leases_expiry ON leases (namespace_id, expires_at);

CREATE TABLE checkpoints (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  run_id       TEXT    NOT NULL,
  format       TEXT    NOT NULL,
  version      INTEGER NOT NULL,
  data         BLOB    NOT NULL,
  PRIMARY KEY (namespace_id, session_id, run_id)
) STRICT;
