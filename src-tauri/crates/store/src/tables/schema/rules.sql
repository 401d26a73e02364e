CREATE TABLE rules (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    effect       TEXT NOT NULL,
    agent        TEXT REFERENCES agents (id) ON DELETE CASCADE,
    pattern      TEXT NOT NULL,
    args         TEXT,
    pin          TEXT,
    allow_writes INTEGER NOT NULL,
    source       TEXT NOT NULL,
    lifetime     TEXT NOT NULL,
    why          TEXT,
    matches      TEXT NOT NULL,
    misses       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    use_count    INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    last_command TEXT,
    last_path    TEXT,
    last_seen    TEXT
) STRICT;
CREATE INDEX rules_by_agent ON rules (agent);
