CREATE TABLE chat_messages (
    door     TEXT NOT NULL,
    place    TEXT NOT NULL,
    message  TEXT NOT NULL,
    alias    TEXT,
    question BLOB NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
    digest   TEXT NOT NULL,
    shown_at INTEGER NOT NULL,
    withheld TEXT,
    status   TEXT NOT NULL,
    outcome  TEXT,
    told     INTEGER NOT NULL,
    PRIMARY KEY (door, place, message)
) STRICT;
CREATE INDEX chat_messages_question ON chat_messages (question);
INSERT OR IGNORE INTO chat_messages
    SELECT substr(settings.key, 6), shown.value ->> 'place', shown.value ->> 'externalMessageId', shown.value ->> 'alias',
           questions.id, shown.value ->> 'digest', shown.value ->> 'at', approval.value ->> 'withheld',
           approval.value ->> 'status', approval.value ->> 'outcome', approval.value ->> 'status' <> 'pending'
    FROM settings, json_each(settings.value, '$.approvals') AS approval, json_each(approval.value, '$.shown') AS shown
    JOIN questions ON questions.id = unhex(replace(approval.value ->> 'question', '-', ''))
    WHERE settings.key IN ('door.telegram', 'door.xmpp');
UPDATE settings SET value = json_remove(value, '$.approvals') WHERE key IN ('door.telegram', 'door.xmpp');
