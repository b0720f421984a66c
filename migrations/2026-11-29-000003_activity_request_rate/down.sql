ALTER TABLE activities DROP CONSTRAINT activities_total_rate_positive, DROP COLUMN total_rate_per_s;
