CREATE TABLE outputs (
    request BLOB NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
    stream  TEXT NOT NULL CHECK (stream IN ('stdout', 'stderr')),
    bytes   INTEGER NOT NULL,
    head    BLOB NOT NULL,
    tail    BLOB NOT NULL,
    PRIMARY KEY (request, stream)
) STRICT;
