ALTER TABLE orders DROP KEY orders_shoppers; ALTER TABLE activities DROP COLUMN published_at;
