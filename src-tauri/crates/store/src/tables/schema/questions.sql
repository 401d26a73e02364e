CREATE TABLE questions (
    id         BLOB PRIMARY KEY,
    code       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    digest     TEXT NOT NULL,
    requests   TEXT NOT NULL,
    asked_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    closed_at  INTEGER,
    answer     TEXT,
    face       TEXT,
    feedback   TEXT,
    shown      TEXT NOT NULL
) STRICT;
CREATE INDEX questions_open ON questions (asked_at) WHERE closed_at IS NULL;
