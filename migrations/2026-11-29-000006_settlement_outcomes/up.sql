-- How the requests of a sale were answered, kept when the gate's keys are gone. MySQL has no ADD COLUMN IF
-- NOT EXISTS, hence the question before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'settlements' AND column_name = 'outcomes') = 0,
    'ALTER TABLE settlements
        ADD COLUMN outcomes TEXT NULL COMMENT ''JSON: answers to requests by outcome; NULL: the gate had lost them''',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
