CREATE VIRTUAL TABLE search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE TABLE search_state (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    indexed INTEGER NOT NULL
) STRICT;
INSERT INTO search_state (one, indexed) VALUES (1, 0);
