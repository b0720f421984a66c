-- When an activity was published first: one that was withdrawn as a draft is nobody's business. And who has
-- orders of a sale, read off an index.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'activities' AND column_name = 'published_at') = 0,
    'ALTER TABLE activities ADD COLUMN published_at DATETIME(3) NULL COMMENT ''when shoppers could see it first''',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;

UPDATE activities SET published_at = updated_at WHERE published_at IS NULL AND status NOT IN ('draft', 'cancelled');

SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'orders' AND index_name = 'orders_shoppers') = 0,
    'ALTER TABLE orders ADD KEY orders_shoppers (activity_id, user_id)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
