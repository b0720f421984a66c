-- Operators' lists are read by time: each key ends with what their pages go on by. The keys before these ended
-- with the row's number, so that a day's orders had to be picked out one by one; the release before finds
-- its way without them, by others. MySQL has no ADD KEY IF NOT EXISTS, hence the questions before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'orders' AND index_name = 'orders_by_fate') = 0,
    'ALTER TABLE orders
        ADD KEY orders_by_fate (status, reason, created_at, id),
        ADD KEY orders_by_fate_of_activity (activity_id, status, reason, created_at, id),
        DROP KEY orders_ended,
        DROP KEY orders_ended_of_activity',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;

SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'audit_log' AND index_name = 'audit_log_actor_name') = 0,
    'ALTER TABLE audit_log
        ADD KEY audit_log_actor_name (actor, at, id),
        ADD KEY audit_log_action_word (action, at, id),
        ADD KEY audit_log_actor_and_action (actor, action, at, id),
        DROP KEY audit_log_name,
        DROP KEY audit_log_action',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;

-- With the sale's units a sample tells by itself whether the books were right at its moment: those of the
-- present may have been changed since.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'sale_samples' AND column_name = 'total_stock') = 0,
    'ALTER TABLE sale_samples
        ADD COLUMN total_stock BIGINT NULL COMMENT ''NULL: taken by a release that did not write it''',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
