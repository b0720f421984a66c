ALTER TABLE users DROP KEY users_role;
