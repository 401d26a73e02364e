CREATE TABLE feed (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    agent   TEXT,
    request BLOB,
    data    TEXT
) STRICT;
CREATE TRIGGER feed_received AFTER INSERT ON requests BEGIN
    INSERT INTO feed (at, kind, agent, request) VALUES (NEW.received_at, 'received', NEW.agent, NEW.id);
    INSERT INTO feed (at, kind, agent, request) SELECT
        coalesce(NEW.asked_at, NEW.decided_at, NEW.ended_at, NEW.received_at), NEW.phase, NEW.agent, NEW.id
        WHERE NEW.phase IN ('asking', 'starting', 'denied', 'failed');
END;
CREATE TRIGGER feed_changed AFTER UPDATE OF phase ON requests
WHEN NEW.phase <> OLD.phase AND NEW.phase IN ('asking', 'starting', 'running', 'denied', 'finished', 'failed') BEGIN
    INSERT INTO feed (at, kind, agent, request) VALUES (
        coalesce(CASE NEW.phase WHEN 'asking' THEN NEW.asked_at WHEN 'starting' THEN NEW.decided_at
                 WHEN 'running' THEN NEW.started_at ELSE NEW.ended_at END, NEW.received_at),
        NEW.phase, NEW.agent, NEW.id);
END;
CREATE TRIGGER feed_bounded AFTER INSERT ON feed WHEN NEW.number % 1024 = 0 BEGIN
    DELETE FROM feed WHERE number <= NEW.number - 65536;
END;
