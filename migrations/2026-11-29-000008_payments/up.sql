-- What shoppers were asked to pay, and what became of the money. A payment is begun, then paid, failed, or
-- to be refunded and refunded; it never goes back.
CREATE TABLE IF NOT EXISTS payments (
    id           BIGINT       NOT NULL AUTO_INCREMENT,
    payment_no   CHAR(26)     NOT NULL COMMENT 'ours; the provider names the payment by it',
    order_no     CHAR(26)     NOT NULL,
    provider     VARCHAR(16)  NOT NULL,
    amount_cents BIGINT       NOT NULL,
    currency     CHAR(3)      NOT NULL,
    status       VARCHAR(16)  NOT NULL DEFAULT 'begun',
    taken_cents  BIGINT       NULL COMMENT 'what the provider says it took',
    reason       VARCHAR(32)  NULL COMMENT 'why the money goes back',
    request_id   VARCHAR(64)  NOT NULL,
    begun_at     DATETIME(3)  NOT NULL,
    settled_at   DATETIME(3)  NULL COMMENT 'when the provider told its fate',
    refunded_at  DATETIME(3)  NULL,
    tries        INT          NOT NULL DEFAULT 0 COMMENT 'refunds asked for',
    next_try_at  DATETIME(3)  NULL COMMENT 'when a refund is asked for again',
    PRIMARY KEY (id),
    UNIQUE KEY payments_payment_no (payment_no),
    KEY payments_of_order (order_no, id),
    KEY payments_due (status, next_try_at, id),
    CONSTRAINT payments_order FOREIGN KEY (order_no) REFERENCES orders (order_no),
    CONSTRAINT payments_amount_positive CHECK (amount_cents > 0),
    CONSTRAINT payments_status_known CHECK (status IN ('begun', 'paid', 'failed', 'to_refund', 'refunded'))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The books of the sandbox, a bank that takes no money. Nothing else reads them.
CREATE TABLE IF NOT EXISTS sandbox_payments (
    payment_no     CHAR(26)     NOT NULL,
    amount_cents   BIGINT       NOT NULL,
    currency       CHAR(3)      NOT NULL,
    return_to      VARCHAR(255) NOT NULL,
    status         VARCHAR(16)  NOT NULL DEFAULT 'open',
    notices        INT          NOT NULL DEFAULT 0 COMMENT 'callbacks still to be delivered',
    next_notice_at DATETIME(3)  NULL,
    opened_at      DATETIME(3)  NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    PRIMARY KEY (payment_no),
    KEY sandbox_payments_notices (next_notice_at),
    CONSTRAINT sandbox_payments_status_known CHECK (status IN ('open', 'taken', 'declined', 'refunded'))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
