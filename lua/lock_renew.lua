-- Lengthens a lock's life, never shortens it; only its owner can.
--
-- KEYS  1 lock
-- ARGV  1 owner   2 life in ms
-- Reply 1 renewed | 0 it is not this owner's any more

if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
return 1
