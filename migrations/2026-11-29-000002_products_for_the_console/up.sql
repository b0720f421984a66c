-- Products get a picture, a version for two admins at once, and a way out of the console's lists. One
-- statement alone: MySQL has no ADD COLUMN IF NOT EXISTS.
ALTER TABLE products
    ADD COLUMN picture     VARCHAR(96) NULL COMMENT 'file name in the pictures folder, made from its content',
    ADD COLUMN archived_at DATETIME(3) NULL COMMENT 'no new sale takes it',
    ADD COLUMN version     BIGINT      NOT NULL DEFAULT 1 COMMENT 'counts edits',
    ADD KEY products_archived (archived_at, id);
