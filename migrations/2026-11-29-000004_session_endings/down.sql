DROP TABLE IF EXISTS session_endings;
ALTER TABLE users DROP KEY users_role;
