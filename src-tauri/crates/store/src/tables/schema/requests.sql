CREATE TABLE requests (
    number      INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    agent       TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    content     BLOB NOT NULL,
    session     TEXT,
    phase       TEXT NOT NULL,
    line        TEXT NOT NULL,
    risk        TEXT,
    ending      TEXT,
    exit_code   INTEGER,
    actor       TEXT,
    received_at INTEGER NOT NULL,
    asked_at    INTEGER,
    decided_at  INTEGER,
    intended_at INTEGER,
    started_at  INTEGER,
    ended_at    INTEGER,
    pid         INTEGER,
    start_time  INTEGER,
    boot        TEXT,
    digest      TEXT,
    answered_by TEXT,
    feedback    TEXT,
    ended       TEXT,
    asked       TEXT NOT NULL,
    plan        TEXT,
    verdict     TEXT,
    UNIQUE (agent, request_id)
) STRICT;
CREATE INDEX requests_by_agent ON requests (agent, number);
CREATE INDEX requests_live ON requests (number) WHERE ended_at IS NULL;
CREATE INDEX requests_ended ON requests (phase, number) WHERE ended_at IS NOT NULL;
