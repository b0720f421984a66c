-- The history of a sale, looked at again and again while it runs. Any number of workers sample; whoever is
-- first at a time writes its row.
CREATE TABLE IF NOT EXISTS sale_samples (
    activity_id  BIGINT      NOT NULL,
    at           DATETIME(3) NOT NULL COMMENT 'rounded down to the step of that part of the sale',
    gate_stock   BIGINT      NULL COMMENT 'NULL: the gate did not hold the sale or gave no answer',
    remain_stock BIGINT      NOT NULL,
    reserved     BIGINT      NULL COMMENT 'held at the gate, not recorded yet',
    pending      BIGINT      NOT NULL,
    paid         BIGINT      NOT NULL,
    cancelled    BIGINT      NOT NULL,
    rejected     BIGINT      NOT NULL,
    participants BIGINT      NULL COMMENT 'shoppers who had asked to buy, by estimate',
    outcomes     TEXT        NULL COMMENT 'JSON: answers to requests until then, by outcome',
    PRIMARY KEY (activity_id, at),
    CONSTRAINT sale_samples_activity FOREIGN KEY (activity_id) REFERENCES activities (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
