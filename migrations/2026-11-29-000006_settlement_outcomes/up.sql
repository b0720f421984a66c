-- How the requests of a sale were answered, kept when the gate's keys are gone. One statement alone: MySQL
-- has no ADD COLUMN IF NOT EXISTS.
ALTER TABLE settlements
    ADD COLUMN outcomes TEXT NULL COMMENT 'JSON: answers to requests, by outcome; NULL: the gate had lost them';
