-- The console's audit page filters by name, by action and by time, each the newest first. MySQL has no ADD
-- KEY IF NOT EXISTS, hence the question before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'audit_log' AND index_name = 'audit_log_name') = 0,
    'ALTER TABLE audit_log
        ADD KEY audit_log_name (actor, id),
        ADD KEY audit_log_action (action, id),
        ADD KEY audit_log_at (at, id)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
