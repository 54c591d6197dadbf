-- Control: idempotency receipts, intents for running runs, human approvals, audit, background attempts and quotas.
-- Receipts, approvals, audit and quotas are namespace-level tables.

CREATE TABLE receipts (
  namespace_id TEXT    NOT NULL,
  authority    TEXT    NOT NULL,
  family       TEXT    NOT NULL,
  key          TEXT    NOT NULL,
  fingerprint  TEXT    NOT NULL,
  receipt_id   TEXT    NOT NULL,
  phase        TEXT    NOT NULL CHECK (phase IN ('deleting', 'deleted', 'done')),
  body         BLOB    NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, authority, family, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE control_intents (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  run_id       TEXT    NOT NULL,
  intent_id    TEXT    NOT NULL,
  kind         TEXT    NOT NULL CHECK (kind IN ('steer', 'interrupt')),
  text         TEXT,
  sent_by      TEXT    NOT NULL,
  generation   INTEGER NOT NULL,
  status       TEXT    NOT NULL CHECK (status IN ('pending', 'delivered', 'consumed', 'reconciled')),
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id, run_id, intent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
  namespace_id     TEXT    NOT NULL,
  approval_id      TEXT    NOT NULL,
  tool             TEXT    NOT NULL,
  arguments_digest TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,
  run_id           TEXT    NOT NULL,
  caller           TEXT    NOT NULL,
  status           TEXT    NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'consumed')),
  decided_by       TEXT,
  expires_at       INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, approval_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_pending ON approvals (namespace_id, expires_at) WHERE status = 'pending';

CREATE TABLE audit (
  namespace_id       TEXT    NOT NULL,
  time               INTEGER NOT NULL,
  actor              TEXT    NOT NULL,
  operation          TEXT    NOT NULL,
  session_id         TEXT,
  run_id             TEXT,
  outcome            TEXT    NOT NULL,
  policy_fingerprint TEXT
) STRICT;

CREATE INDEX audit_time ON audit (namespace_id, time DESC);
CREATE INDEX audit_session ON audit (namespace_id, session_id, time DESC) WHERE session_id IS NOT NULL;

CREATE TABLE subagent_attempts (
  namespace_id        TEXT    NOT NULL,
  session_id          TEXT    NOT NULL,
  run_id              TEXT    NOT NULL,
  attempt_id          TEXT    NOT NULL,
  agent_id            TEXT    NOT NULL,
  status              TEXT    NOT NULL CHECK (
    status IN ('accepted', 'starting', 'running', 'waiting', 'completed', 'failed', 'cancelled')
  ),
  delivery            TEXT    NOT NULL CHECK (delivery IN ('undelivered', 'claimed', 'delivered')),
  result_digest       TEXT,
  result              BLOB,
  continuation_run_id TEXT,
  updated_at          INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id, attempt_id)
) STRICT;

CREATE UNIQUE INDEX subagent_attempts_one_open ON subagent_attempts (namespace_id, session_id, agent_id)
  WHERE status IN ('accepted', 'starting', 'running', 'waiting');

CREATE TABLE quotas (
  namespace_id TEXT    NOT NULL,
  scope        TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  used         INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, scope, name)
) STRICT, WITHOUT ROWID;
