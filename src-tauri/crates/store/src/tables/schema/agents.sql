CREATE TABLE agents (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    color         TEXT NOT NULL,
    settings      TEXT NOT NULL,
    uids          TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    last_seen_at  INTEGER,
    denied_until  INTEGER,
    next_sequence INTEGER NOT NULL DEFAULT 1
) STRICT;
