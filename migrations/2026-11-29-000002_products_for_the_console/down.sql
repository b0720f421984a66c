ALTER TABLE products DROP KEY products_archived, DROP COLUMN version, DROP COLUMN archived_at, DROP COLUMN picture;
