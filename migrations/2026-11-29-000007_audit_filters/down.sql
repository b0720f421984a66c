ALTER TABLE audit_log DROP KEY audit_log_name, DROP KEY audit_log_action, DROP KEY audit_log_at;
