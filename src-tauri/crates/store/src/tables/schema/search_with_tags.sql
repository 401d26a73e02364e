DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (words, tags, content = '', contentless_delete = 1, tokenize = 'unicode61',
    prefix = '1 2 3');
CREATE TABLE late (number INTEGER PRIMARY KEY) STRICT;
UPDATE search_state SET indexed = 0;
