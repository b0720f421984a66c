DELETE FROM reconciliations WHERE finished_at IS NULL;
ALTER TABLE reconciliations
    MODIFY COLUMN started_at DATETIME(3) NOT NULL,
    MODIFY COLUMN finished_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    DROP COLUMN asked_by,
    DROP COLUMN asked_at,
    DROP KEY reconciliations_by_end;
