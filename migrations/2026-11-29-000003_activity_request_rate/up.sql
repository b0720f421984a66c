-- Purchase attempts of all shoppers together. One statement alone: MySQL has no ADD COLUMN IF NOT EXISTS.
ALTER TABLE activities
    ADD COLUMN total_rate_per_s BIGINT NULL COMMENT 'attempts of all shoppers a second; NULL: no bound',
    ADD CONSTRAINT activities_total_rate_positive CHECK (total_rate_per_s IS NULL OR total_rate_per_s > 0);
