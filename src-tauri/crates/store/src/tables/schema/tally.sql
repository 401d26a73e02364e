CREATE TABLE tally (
    at      INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    decided TEXT NOT NULL,
    rule    INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (at, agent, decided, rule)
) STRICT, WITHOUT ROWID;
