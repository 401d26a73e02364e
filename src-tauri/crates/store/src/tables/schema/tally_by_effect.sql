CREATE TABLE tally_by_effect (
    at      INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    effect  TEXT NOT NULL,
    decided TEXT NOT NULL,
    rule    INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (at, agent, effect, decided, rule)
) STRICT, WITHOUT ROWID;
DELETE FROM tally;
