-- The first tables. DDL is not transactional here, so every statement can be repeated: a migration that
-- was cut off half-way is simply run again.

CREATE TABLE IF NOT EXISTS users (
    id            BIGINT       NOT NULL AUTO_INCREMENT,
    username      VARCHAR(40)  NOT NULL COMMENT 'as typed',
    username_key  VARCHAR(160) NOT NULL COMMENT 'folded; two names that look alike share it',
    password_hash VARCHAR(255) NOT NULL COMMENT 'PHC string',
    role          VARCHAR(16)  NOT NULL,
    epoch         BIGINT       NOT NULL DEFAULT 0 COMMENT 'raised to end all sessions',
    disabled_at   DATETIME(3)  NULL,
    created_at    DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at    DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY users_username_key (username_key),
    KEY users_updated (updated_at),
    CONSTRAINT users_role_known CHECK (role IN ('shopper', 'operator', 'admin'))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS products (
    id               BIGINT       NOT NULL AUTO_INCREMENT,
    name             VARCHAR(200) NOT NULL,
    description      TEXT         NOT NULL,
    list_price_cents BIGINT       NULL COMMENT 'the usual price, shown struck through',
    created_at       DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at       DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY products_name (name),
    CONSTRAINT products_list_price_positive CHECK (list_price_cents IS NULL OR list_price_cents > 0)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS activities (
    id           BIGINT            NOT NULL AUTO_INCREMENT,
    product_id   BIGINT            NOT NULL,
    title        VARCHAR(200)      NOT NULL,
    price_cents  BIGINT            NOT NULL,
    total_stock  BIGINT            NOT NULL,
    remain_stock BIGINT            NOT NULL COMMENT 'units that no order holds',
    status       VARCHAR(16)       NOT NULL DEFAULT 'draft',
    starts_at    DATETIME(3)       NOT NULL,
    ends_at      DATETIME(3)       NOT NULL,
    version      BIGINT            NOT NULL DEFAULT 1 COMMENT 'counts edits',
    fence        BIGINT            NOT NULL DEFAULT 0 COMMENT 'raised when the lock is taken; lower ones cannot write',
    gate_epoch   BIGINT            NOT NULL DEFAULT 0 COMMENT '0 never opened; raised by preheat and rebuild',
    captcha      BOOLEAN           NOT NULL DEFAULT TRUE,
    rebuy        BOOLEAN           NOT NULL DEFAULT TRUE COMMENT 'may buy again after a cancelled order',
    bucket_count SMALLINT UNSIGNED NOT NULL DEFAULT 1,
    pay_within_s BIGINT            NOT NULL,
    rate_per_s   BIGINT            NOT NULL DEFAULT 5,
    created_at   DATETIME(3)       NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at   DATETIME(3)       NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY activities_status (status),
    CONSTRAINT activities_product FOREIGN KEY (product_id) REFERENCES products (id),
    CONSTRAINT activities_status_known
        CHECK (status IN ('draft', 'scheduled', 'paused', 'ended', 'settled', 'cancelled')),
    CONSTRAINT activities_price_positive CHECK (price_cents > 0),
    CONSTRAINT activities_remain_not_negative CHECK (remain_stock >= 0),
    CONSTRAINT activities_remain_within_total CHECK (remain_stock <= total_stock),
    CONSTRAINT activities_window_forward CHECK (ends_at > starts_at),
    CONSTRAINT activities_has_a_bucket CHECK (bucket_count >= 1),
    CONSTRAINT activities_limits_positive CHECK (pay_within_s > 0 AND rate_per_s > 0)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- One row per order number, its fate for ever.
CREATE TABLE IF NOT EXISTS orders (
    id           BIGINT            NOT NULL AUTO_INCREMENT,
    order_no     CHAR(26)          NOT NULL,
    user_id      BIGINT            NOT NULL,
    product_id   BIGINT            NOT NULL,
    activity_id  BIGINT            NOT NULL,
    bucket       SMALLINT UNSIGNED NOT NULL,
    epoch        BIGINT            NOT NULL,
    price_cents  BIGINT            NOT NULL,
    currency     CHAR(3)           NOT NULL,
    status       TINYINT           NOT NULL COMMENT '0 pending payment, 1 paid, 2 cancelled, 3 rejected, 4 lost',
    reason       VARCHAR(32)       NULL,
    holder_id    BIGINT            NULL COMMENT 'the user while the order holds a unit',
    request_id   VARCHAR(64)       NOT NULL,
    reserved_at  DATETIME(3)       NOT NULL,
    created_at   DATETIME(3)       NOT NULL,
    pay_before   DATETIME(3)       NOT NULL,
    paid_at      DATETIME(3)       NULL,
    cancelled_at DATETIME(3)       NULL,
    PRIMARY KEY (id),
    UNIQUE KEY orders_order_no (order_no),
    UNIQUE KEY orders_one_holder (activity_id, holder_id),
    KEY orders_of_user (user_id, id),
    KEY orders_of_activity (activity_id, status, id),
    KEY orders_due (status, pay_before),
    KEY orders_cancelled (status, cancelled_at, id),
    KEY orders_created (created_at, id),
    CONSTRAINT orders_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT orders_product FOREIGN KEY (product_id) REFERENCES products (id),
    CONSTRAINT orders_activity FOREIGN KEY (activity_id) REFERENCES activities (id),
    CONSTRAINT orders_status_known CHECK (status BETWEEN 0 AND 4),
    CONSTRAINT orders_holder_while_holding CHECK ((status IN (0, 1)) = (holder_id IS NOT NULL)),
    CONSTRAINT orders_holder_is_user CHECK (holder_id IS NULL OR holder_id = user_id),
    CONSTRAINT orders_price_positive CHECK (price_cents > 0)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS order_events (
    id         BIGINT       NOT NULL AUTO_INCREMENT,
    order_no   CHAR(26)     NOT NULL,
    kind       VARCHAR(32)  NOT NULL COMMENT 'the state that the order came to',
    actor      VARCHAR(64)  NOT NULL COMMENT 'recorder, expiry, payment, reconciler, shopper:ID or staff:ID',
    reason     VARCHAR(200) NULL,
    request_id VARCHAR(64)  NOT NULL,
    at         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY order_events_of_order (order_no, id),
    CONSTRAINT order_events_order FOREIGN KEY (order_no) REFERENCES orders (order_no)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A body may be anything at all, so it is kept as bytes.
CREATE TABLE IF NOT EXISTS dead_letters (
    id            BIGINT       NOT NULL AUTO_INCREMENT,
    message_id    VARCHAR(191) NOT NULL,
    content_hash  CHAR(64)     NOT NULL COMMENT 'SHA-256 of the body, hex',
    body          MEDIUMBLOB   NOT NULL,
    schema_header VARCHAR(32)  NULL,
    reason        VARCHAR(255) NOT NULL,
    status        VARCHAR(16)  NOT NULL DEFAULT 'waiting',
    created_at    DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    updated_at    DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY dead_letters_once (message_id, content_hash),
    KEY dead_letters_status (status, id),
    CONSTRAINT dead_letters_status_known
        CHECK (status IN ('waiting', 'replay', 'replayed', 'discard', 'discarded'))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS stock_changes (
    id           BIGINT      NOT NULL AUTO_INCREMENT,
    change_id    VARCHAR(64) NOT NULL COMMENT 'the same when the change is asked again',
    activity_id  BIGINT      NOT NULL,
    asked        BIGINT      NOT NULL COMMENT 'signed',
    changed      BIGINT      NOT NULL COMMENT 'signed; less than asked when less was free',
    total_after  BIGINT      NOT NULL,
    remain_after BIGINT      NOT NULL,
    fence        BIGINT      NOT NULL,
    created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    UNIQUE KEY stock_changes_once (change_id),
    KEY stock_changes_of_activity (activity_id, id),
    CONSTRAINT stock_changes_activity FOREIGN KEY (activity_id) REFERENCES activities (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS settlements (
    activity_id  BIGINT      NOT NULL,
    total_stock  BIGINT      NOT NULL,
    remain_stock BIGINT      NOT NULL,
    participants BIGINT      NOT NULL,
    paid         BIGINT      NOT NULL,
    cancelled    BIGINT      NOT NULL,
    rejected     BIGINT      NOT NULL,
    lost         BIGINT      NOT NULL,
    settled_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (activity_id),
    CONSTRAINT settlements_activity FOREIGN KEY (activity_id) REFERENCES activities (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS reconciliations (
    id          BIGINT      NOT NULL AUTO_INCREMENT,
    activity_id BIGINT      NULL,
    dry_run     BOOLEAN     NOT NULL,
    differences BIGINT      NOT NULL,
    repaired    BIGINT      NOT NULL,
    alarms      BIGINT      NOT NULL,
    report      MEDIUMTEXT  NOT NULL COMMENT 'JSON',
    started_at  DATETIME(3) NOT NULL,
    finished_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY reconciliations_of_activity (activity_id, id),
    CONSTRAINT reconciliations_activity FOREIGN KEY (activity_id) REFERENCES activities (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Kept even when its actor's account is gone, hence the name beside the number and no foreign key.
CREATE TABLE IF NOT EXISTS audit_log (
    id         BIGINT       NOT NULL AUTO_INCREMENT,
    actor_id   BIGINT       NULL,
    actor      VARCHAR(64)  NOT NULL,
    action     VARCHAR(64)  NOT NULL,
    subject    VARCHAR(64)  NOT NULL COMMENT 'activity:42, order:…, user:7',
    detail     TEXT         NOT NULL COMMENT 'JSON',
    request_id VARCHAR(64)  NOT NULL,
    at         DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (id),
    KEY audit_log_subject (subject, id),
    KEY audit_log_actor (actor_id, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
