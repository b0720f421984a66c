-- A reconciliation that somebody asked for is a row without times, until a reconciler has carried it out.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'reconciliations' AND column_name = 'asked_by') = 0,
    'ALTER TABLE reconciliations
        MODIFY COLUMN started_at DATETIME(3) NULL,
        MODIFY COLUMN finished_at DATETIME(3) NULL,
        ADD COLUMN asked_by VARCHAR(64) NULL COMMENT ''the account that asked for it, by name'',
        ADD COLUMN asked_at DATETIME(3) NULL,
        ADD KEY reconciliations_by_end (finished_at, id)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
