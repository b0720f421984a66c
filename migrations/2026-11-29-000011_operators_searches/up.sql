-- Operators search orders by state and reason, of one sale or of all, each the newest first; and dead letters
-- count how often they were replayed. MySQL has no ADD KEY IF NOT EXISTS, hence the questions before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'orders' AND index_name = 'orders_ended') = 0,
    'ALTER TABLE orders
        ADD KEY orders_ended (status, reason, id),
        ADD KEY orders_ended_of_activity (activity_id, status, reason, id)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;

SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'dead_letters' AND column_name = 'tries') = 0,
    'ALTER TABLE dead_letters
        ADD COLUMN tries INT NOT NULL DEFAULT 0 COMMENT ''times that it was replayed'',
        ADD COLUMN note VARCHAR(200) NULL COMMENT ''why an operator discarded it''',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
