CREATE TABLE sessions (
    agent     TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    session   TEXT NOT NULL,
    confined  INTEGER NOT NULL,
    parents   TEXT NOT NULL,
    runtime   TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    PRIMARY KEY (agent, session)
) STRICT, WITHOUT ROWID;
