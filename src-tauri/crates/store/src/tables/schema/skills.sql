CREATE TABLE skill_folders (
    path     TEXT PRIMARY KEY,
    added_at INTEGER NOT NULL
) STRICT;
CREATE TABLE skills (
    folder      TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    problem     TEXT
) STRICT;
CREATE TABLE skill_clis (
    folder      TEXT NOT NULL REFERENCES skills (folder) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    path        TEXT,
    seen        TEXT,
    approved    TEXT,
    approved_at INTEGER,
    rule        INTEGER REFERENCES rules (id) ON DELETE SET NULL,
    PRIMARY KEY (folder, name)
) STRICT;
CREATE INDEX skill_clis_by_rule ON skill_clis (rule);
