ALTER TABLE orders DROP KEY orders_ended, DROP KEY orders_ended_of_activity;
ALTER TABLE dead_letters DROP COLUMN tries, DROP COLUMN note;
