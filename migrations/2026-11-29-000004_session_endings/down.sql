DROP TABLE IF EXISTS session_endings;
