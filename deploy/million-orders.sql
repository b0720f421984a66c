-- A year of sales in an otherwise empty ledger of MariaDB: 700,000 shoppers, 1,000,000 orders with history,
-- payments, audit, and 10,000 dead letters. For trying how pages behave then; never in production.
--
--   seckill migrate; mariadb … DATABASE < deploy/million-orders.sql     (about a minute)

SET SESSION time_zone = '+00:00', SESSION unique_checks = 0, SESSION foreign_key_checks = 0;

INSERT INTO products (name, description) VALUES ('A million kettles', '');
SET @product = LAST_INSERT_ID();

-- 20 sales, the first of them by far the largest. No worker looks at them before they are complete: then the
-- last has ended, the others are settled.
INSERT INTO activities (product_id, title, price_cents, total_stock, remain_stock, status, starts_at, ends_at,
    gate_epoch, pay_within_s, published_at)
SELECT @product, CONCAT('Year sale ', seq), 1999, 1000000, 0, 'settled', at, at + INTERVAL 1 HOUR, 0, 900, at
FROM (SELECT seq, TIMESTAMP(CURRENT_DATE) - INTERVAL 21 - seq DAY AS at FROM seq_1_to_20) AS days ORDER BY seq;
SET @first = (SELECT MIN(id) FROM activities WHERE product_id = @product);

SET @shopper = (SELECT GREATEST(MAX(id), 1000000) FROM users);
INSERT INTO users (id, username, username_key, password_hash, role)
SELECT @shopper + seq, CONCAT('year', seq), CONCAT('year', seq), '-', 'shopper' FROM seq_1_to_700000;

-- Each sale is sold within a minute of its midnight. Of a thousand orders 600 are paid, the rest ended in all
-- ways, some of them rare. Of the last sale some are still to be paid, with a deadline far away, so that no
-- sweep ends them.
INSERT INTO orders (order_no, user_id, product_id, activity_id, bucket, epoch, price_cents, currency, status,
    reason, holder_id, request_id, reserved_at, created_at, pay_before, paid_at, cancelled_at)
SELECT order_no, user, @product, sale, 0, 1, 1999, 'CNY', status, reason, IF(status < 2, user, NULL), 'year',
    at, at, at + INTERVAL IF(status = 0, 10 * 365 * 24 * 60, 15) MINUTE, IF(status = 1, at, NULL),
    IF(status = 2, at + INTERVAL 15 MINUTE, NULL)
FROM (
    SELECT seq, LPAD(HEX(seq), 26, '0') AS order_no,
        @first + IF(seq <= 700000, 0, 1 + (seq - 700001) DIV 15790) AS sale,
        @shopper + 1 + seq % 700000 AS user,
        CASE WHEN seq % 1000 < 600 THEN IF(seq > 984210 AND seq % 10 = 0, 0, 1) WHEN seq % 1000 < 851 THEN 2
            WHEN seq % 1000 < 999 THEN 3 ELSE 4 END AS status,
        CASE WHEN seq % 1000 < 600 THEN NULL WHEN seq % 1000 < 770 THEN 'unpaid'
            WHEN seq % 1000 < 850 THEN 'by_shopper' WHEN seq % 1000 < 851 THEN 'by_staff'
            WHEN seq % 1000 < 990 THEN 'sold_out' WHEN seq % 1000 < 998 THEN 'already_held'
            WHEN seq % 1000 < 999 THEN 'barred' END AS reason,
        TIMESTAMP(CURRENT_DATE)
            - INTERVAL 20 - IF(seq <= 700000, 0, 1 + (seq - 700001) DIV 15790) DAY
            + INTERVAL (IF(seq <= 700000, seq, (seq - 700001) % 15790 * 44) DIV 100) * 8000 MICROSECOND AS at
    FROM seq_1_to_1000000
) AS year ORDER BY seq;

INSERT INTO order_events (order_no, kind, actor, request_id, at)
SELECT order_no, 'pending_payment', 'recorder', 'year', created_at FROM orders WHERE request_id = 'year';

INSERT INTO payments (payment_no, order_no, provider, amount_cents, currency, status, taken_cents, request_id,
    begun_at, settled_at)
SELECT order_no, order_no, 'sandbox', 1999, 'CNY', IF(status = 1, 'paid', 'begun'), IF(status = 1, 1999, NULL),
    'year', created_at, IF(status = 1, created_at, NULL)
FROM orders WHERE request_id = 'year' AND (status = 1 OR reason = 'unpaid' AND id % 2);

INSERT INTO audit_log (actor, action, subject, detail, request_id, at)
SELECT IF(id % 7, 'operator', 'admin'), IF(id % 500, 'order.cancel', 'activity.edit'),
    CONCAT('order:', order_no), '[]', 'year', created_at
FROM orders WHERE request_id = 'year' AND id % 10 = 0 ORDER BY id;

INSERT INTO dead_letters (message_id, content_hash, body, reason, status)
SELECT CONCAT('year-', seq), SHA2(seq, 256), '{}', 'unreadable', IF(seq % 10, 'discarded', 'waiting')
FROM seq_1_to_10000;

UPDATE activities INNER JOIN (
    SELECT activity_id, COUNT(*) AS sold FROM orders WHERE request_id = 'year' AND status < 2 GROUP BY activity_id
) AS holding ON holding.activity_id = activities.id
SET total_stock = sold, remain_stock = 0, gate_epoch = 1, status = IF(activities.id = @first + 19, 'ended', status);

INSERT INTO settlements (activity_id, total_stock, remain_stock, participants, paid, cancelled, rejected, lost)
SELECT activities.id, total_stock, remain_stock, COUNT(*), SUM(orders.status < 2), SUM(orders.status = 2),
    SUM(orders.status = 3), SUM(orders.status = 4)
FROM activities INNER JOIN orders ON orders.activity_id = activities.id
WHERE activities.status = 'settled' AND orders.request_id = 'year' GROUP BY activities.id;

INSERT INTO sale_samples (activity_id, at, total_stock, remain_stock, pending, paid, cancelled, rejected)
SELECT activity_id, settled_at, total_stock, remain_stock, 0, paid, cancelled, rejected FROM settlements
WHERE activity_id >= @first;

ANALYZE TABLE users, orders, order_events, payments, audit_log, dead_letters, sale_samples;
