-- The search corpus: folded texts of many documents as one value per chunk (a NUL between two), with what describes
-- each document beside it. The big value stands last: what is decided before it is read costs nothing.

CREATE TABLE corpus_chunks (
  namespace_id   TEXT    NOT NULL,
  session_id     TEXT    NOT NULL,
  chunk_no       INTEGER NOT NULL,
  newest_time    INTEGER NOT NULL,
  oldest_time    INTEGER NOT NULL,
  first_position INTEGER NOT NULL,
  text_bytes     INTEGER NOT NULL,
  documents      BLOB    NOT NULL,
  text           BLOB    NOT NULL,
  PRIMARY KEY (namespace_id, session_id, chunk_no)
) STRICT;

CREATE INDEX corpus_chunks_newest ON corpus_chunks (namespace_id, newest_time DESC, session_id DESC);

-- Sessions whose documents left the corpus, and the position of the latest loss: a scan as of an older position no
-- longer sees everything that was there. Most sessions have no row.

CREATE TABLE corpus_rewrites (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX corpus_rewrites_latest ON corpus_rewrites (namespace_id, position);
