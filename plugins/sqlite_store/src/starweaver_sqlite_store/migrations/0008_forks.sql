-- A fork is listed among the sessions that are nobody's child.

DROP INDEX sessions_top;
CREATE INDEX sessions_top ON sessions (namespace_id, updated_at DESC, session_id DESC)
  WHERE (parent_session_id IS NULL OR origin = 'fork');
