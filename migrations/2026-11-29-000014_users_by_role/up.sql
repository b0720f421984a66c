-- The console lists accounts of one role by name, and counts the admins under a lock. One statement alone:
-- MySQL has no ADD KEY IF NOT EXISTS.
ALTER TABLE users
    ADD KEY users_role (role, username_key);
