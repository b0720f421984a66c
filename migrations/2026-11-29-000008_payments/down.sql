DROP TABLE IF EXISTS sandbox_payments, payments;
