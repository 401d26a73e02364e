CREATE TABLE events (
    agent    TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    request  BLOB,
    method   TEXT NOT NULL,
    params   TEXT NOT NULL,
    PRIMARY KEY (agent, sequence)
) STRICT, WITHOUT ROWID;
