DROP TABLE IF EXISTS sale_samples;
