DROP TRIGGER IF EXISTS feed_received;
DROP TRIGGER IF EXISTS feed_changed;
ALTER TABLE feed ADD COLUMN about INTEGER;
UPDATE feed SET about = coalesce((SELECT number FROM requests WHERE requests.id = feed.request), 0)
    WHERE request IS NOT NULL;
ALTER TABLE feed DROP COLUMN agent;
ALTER TABLE feed DROP COLUMN request;
CREATE TRIGGER feed_received AFTER INSERT ON requests BEGIN
    INSERT INTO feed (at, kind, about) VALUES (NEW.received_at, 'received', NEW.number);
    INSERT INTO feed (at, kind, about) SELECT
        coalesce(NEW.asked_at, NEW.decided_at, NEW.ended_at, NEW.received_at), NEW.phase, NEW.number
        WHERE NEW.phase IN ('asking', 'denied', 'failed', 'allowed')
            OR (NEW.phase = 'starting' AND NEW.origin = '"host"');
END;
CREATE TRIGGER feed_changed AFTER UPDATE OF phase ON requests
WHEN NEW.phase <> OLD.phase AND (NEW.phase IN ('asking', 'running', 'denied', 'finished', 'failed', 'allowed')
    OR (NEW.phase = 'starting' AND NEW.origin = '"host"')) BEGIN
    INSERT INTO feed (at, kind, about) VALUES (
        coalesce(CASE NEW.phase WHEN 'asking' THEN NEW.asked_at WHEN 'starting' THEN NEW.decided_at
                 WHEN 'running' THEN NEW.started_at ELSE NEW.ended_at END, NEW.received_at),
        NEW.phase, NEW.number);
END;
