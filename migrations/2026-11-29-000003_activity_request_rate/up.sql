-- Purchase attempts of all shoppers together. MySQL has no ADD COLUMN IF NOT EXISTS, hence the question before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'activities' AND column_name = 'total_rate_per_s') = 0,
    'ALTER TABLE activities
        ADD COLUMN total_rate_per_s BIGINT NULL COMMENT ''attempts of all shoppers a second; NULL: no bound'',
        ADD CONSTRAINT activities_total_rate_positive CHECK (total_rate_per_s IS NULL OR total_rate_per_s > 0)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
