-- Sessions: header, editable fields, projections of the log, and their row of the change feed (feed_position).
-- Times are UTC microseconds.

CREATE TABLE sessions (
  namespace_id      TEXT    NOT NULL,
  session_id        TEXT    NOT NULL,
  created_at        INTEGER NOT NULL,
  owner_id          TEXT,
  cwd               TEXT,
  workspace_id      TEXT,
  workspace_label   TEXT,
  parent_session_id TEXT,
  root_session_id   TEXT    NOT NULL,
  seed_length       INTEGER NOT NULL DEFAULT 0,
  origin            TEXT    NOT NULL,
  source            TEXT,
  native_id         TEXT,
  agent_version     TEXT,
  title             TEXT,
  title_source      TEXT,
  title_pinned      INTEGER NOT NULL DEFAULT 0,
  profile           TEXT,
  status            TEXT    NOT NULL CHECK (status IN ('active', 'archived', 'failed', 'deleted')),
  revision          INTEGER NOT NULL DEFAULT 1,
  activity_revision INTEGER NOT NULL DEFAULT 0,
  head_run_id       TEXT,
  active_run_id     TEXT,
  last_run_no       INTEGER NOT NULL DEFAULT 0,
  generation        INTEGER NOT NULL DEFAULT 0,
  fence_state       TEXT    NOT NULL DEFAULT 'stable' CHECK (fence_state IN ('stable', 'deleting', 'deleted')),
  fence_id          TEXT,
  fence_revision    INTEGER,
  fence_by          TEXT,
  fence_at          INTEGER,
  incarnation       INTEGER NOT NULL DEFAULT 0,
  next_seq          INTEGER NOT NULL DEFAULT 0,
  runs              INTEGER NOT NULL DEFAULT 0,
  messages          INTEGER NOT NULL DEFAULT 0,
  tool_calls        INTEGER NOT NULL DEFAULT 0,
  updated_at        INTEGER NOT NULL,
  imported_at       INTEGER,
  metadata          TEXT    NOT NULL DEFAULT '{}',
  feed_position     INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_feed ON sessions (namespace_id, feed_position);
CREATE INDEX sessions_recent ON sessions (namespace_id, updated_at DESC, session_id DESC);
-- Sessions that are nobody's child; a fork is listed among them.
CREATE INDEX sessions_top ON sessions (namespace_id, updated_at DESC, session_id DESC)
  WHERE (parent_session_id IS NULL OR origin = 'fork');
CREATE INDEX sessions_status ON sessions (namespace_id, status, updated_at DESC, session_id DESC);
CREATE INDEX sessions_owner ON sessions (namespace_id, owner_id, updated_at DESC, session_id DESC)
  WHERE owner_id IS NOT NULL;
CREATE INDEX sessions_profile ON sessions (namespace_id, profile, updated_at DESC, session_id DESC)
  WHERE profile IS NOT NULL;
CREATE INDEX sessions_workspace ON sessions (namespace_id, workspace_id, updated_at DESC, session_id DESC)
  WHERE workspace_id IS NOT NULL;
CREATE INDEX sessions_label ON sessions (namespace_id, workspace_label, updated_at DESC, session_id DESC)
  WHERE workspace_label IS NOT NULL;
CREATE INDEX sessions_source ON sessions (namespace_id, source, updated_at DESC, session_id DESC)
  WHERE source IS NOT NULL;
CREATE INDEX sessions_cwd ON sessions (namespace_id, cwd) WHERE cwd IS NOT NULL;
CREATE INDEX sessions_root ON sessions (namespace_id, root_session_id, updated_at DESC, session_id DESC);
CREATE INDEX sessions_parent ON sessions (namespace_id, parent_session_id) WHERE parent_session_id IS NOT NULL;
CREATE INDEX sessions_native ON sessions (namespace_id, native_id) WHERE native_id IS NOT NULL;

-- Every title a session had. The current one has no superseded_position; a scan as of an older position sees the one
-- that was current then.
CREATE TABLE session_titles (
  namespace_id        TEXT    NOT NULL,
  session_id          TEXT    NOT NULL,
  position            INTEGER NOT NULL,
  superseded_position INTEGER,
  set_at              INTEGER NOT NULL,
  title               TEXT    NOT NULL,
  folded              BLOB    NOT NULL,
  PRIMARY KEY (namespace_id, session_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_titles_newest ON session_titles (namespace_id, set_at DESC, session_id DESC);
