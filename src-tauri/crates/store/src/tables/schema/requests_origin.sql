ALTER TABLE requests ADD COLUMN origin TEXT NOT NULL DEFAULT '"host"';
DROP TRIGGER feed_received;
DROP TRIGGER feed_changed;
CREATE TRIGGER feed_received AFTER INSERT ON requests BEGIN
    INSERT INTO feed (at, kind, agent, request) VALUES (NEW.received_at, 'received', NEW.agent, NEW.id);
    INSERT INTO feed (at, kind, agent, request) SELECT
        coalesce(NEW.asked_at, NEW.decided_at, NEW.ended_at, NEW.received_at), NEW.phase, NEW.agent, NEW.id
        WHERE NEW.phase IN ('asking', 'denied', 'failed', 'allowed')
            OR (NEW.phase = 'starting' AND NEW.origin = '"host"');
END;
CREATE TRIGGER feed_changed AFTER UPDATE OF phase ON requests
WHEN NEW.phase <> OLD.phase AND (NEW.phase IN ('asking', 'running', 'denied', 'finished', 'failed', 'allowed')
    OR (NEW.phase = 'starting' AND NEW.origin = '"host"')) BEGIN
    INSERT INTO feed (at, kind, agent, request) VALUES (
        coalesce(CASE NEW.phase WHEN 'asking' THEN NEW.asked_at WHEN 'starting' THEN NEW.decided_at
                 WHEN 'running' THEN NEW.started_at ELSE NEW.ended_at END, NEW.received_at),
        NEW.phase, NEW.agent, NEW.id);
END;
