-- Sessions whose documents left the corpus, and the position of the latest loss: a scan as of an older position no
-- longer sees everything that was there. Most sessions have no row.

CREATE TABLE corpus_rewrites (
  namespace_id TEXT    NOT NULL,
  session_id   TEXT    NOT NULL,
  position     INTEGER NOT NULL,
  PRIMARY KEY (namespace_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX corpus_rewrites_latest ON corpus_rewrites (namespace_id, position);
