-- What ends sessions before their time. Every web node reads the newest rows each second and keeps them in
-- memory for as long as a cookie lives; older rows are of no use to anybody and are deleted.
CREATE TABLE IF NOT EXISTS session_endings (
    id         BIGINT      NOT NULL AUTO_INCREMENT,
    session_id CHAR(32)    NULL COMMENT 'the session that was signed out of',
    user_id    BIGINT      NULL COMMENT 'or: the account whose sessions of older epochs are over',
    epoch      BIGINT      NULL COMMENT 'the epoch that the account was raised to',
    at         DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY session_endings_at (at),
    CONSTRAINT session_endings_session_or_account
        CHECK ((session_id IS NULL) = (user_id IS NOT NULL) AND (user_id IS NULL) = (epoch IS NULL))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The console lists accounts of one role by name, and finds the admins under a lock. MySQL has no ADD KEY IF
-- NOT EXISTS, hence the question before.
SET @change = IF(
    (SELECT COUNT(*) FROM information_schema.statistics
     WHERE table_schema = DATABASE() AND table_name = 'users' AND index_name = 'users_role') = 0,
    'ALTER TABLE users ADD KEY users_role (role, username_key)',
    'DO 0');
PREPARE change_once FROM @change;
EXECUTE change_once;
DEALLOCATE PREPARE change_once;
