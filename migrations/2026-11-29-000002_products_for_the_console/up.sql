-- Products get a picture, a version for two admins at once, and a way out of the console's lists. MySQL has
-- no ADD COLUMN IF NOT EXISTS, hence the question before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name = 'products' AND column_name = 'picture') = 0,
    'ALTER TABLE products
        ADD COLUMN picture     VARCHAR(96) NULL COMMENT ''file name in the pictures folder, made from its content'',
        ADD COLUMN archived_at DATETIME(3) NULL COMMENT ''no new sale takes it'',
        ADD COLUMN version     BIGINT      NOT NULL DEFAULT 1 COMMENT ''counts edits'',
        ADD KEY products_archived (archived_at, id)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
