ALTER TABLE settlements DROP COLUMN outcomes;
