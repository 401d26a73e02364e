CREATE TABLE tally_by_folder (
    at      INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    folder  TEXT NOT NULL,
    decided TEXT NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (at, agent, folder, decided)
) STRICT, WITHOUT ROWID;
DELETE FROM tally;
DELETE FROM tally_by_effect;
