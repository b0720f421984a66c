ALTER TABLE orders
    ADD KEY orders_ended (status, reason, id),
    ADD KEY orders_ended_of_activity (activity_id, status, reason, id),
    DROP KEY orders_by_fate,
    DROP KEY orders_by_fate_of_activity;
ALTER TABLE audit_log
    ADD KEY audit_log_name (actor, id),
    ADD KEY audit_log_action (action, id),
    DROP KEY audit_log_actor_name,
    DROP KEY audit_log_action_word,
    DROP KEY audit_log_actor_and_action;
ALTER TABLE sale_samples DROP COLUMN total_stock;
