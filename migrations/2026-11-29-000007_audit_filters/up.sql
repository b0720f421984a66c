-- The console's audit page filters by name, by action and by time, each the newest first. One statement
-- alone: MySQL has no ADD KEY IF NOT EXISTS.
ALTER TABLE audit_log
    ADD KEY audit_log_name (actor, id),
    ADD KEY audit_log_action (action, id),
    ADD KEY audit_log_at (at, id);
