CREATE TABLE audit (
    number  INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    who     TEXT NOT NULL,
    subject TEXT NOT NULL,
    key     TEXT NOT NULL,
    before  TEXT,
    after   TEXT,
    widens  INTEGER NOT NULL,
    hash    BLOB NOT NULL
) STRICT;
CREATE INDEX audit_by_subject ON audit (subject, key, number);
