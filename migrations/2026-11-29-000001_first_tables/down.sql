DROP TABLE IF EXISTS audit_log, reconciliations, settlements, stock_changes, dead_letters, order_events,
    orders, activities, products, users;
