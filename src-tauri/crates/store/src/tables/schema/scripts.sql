CREATE TABLE scripts (
    path   TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scripts_at ON scripts (at);
