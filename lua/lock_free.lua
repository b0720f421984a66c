-- Gives up one holding of a lock; with the last one the lock is free. Only its owner can.
--
-- KEYS  1 lock
-- ARGV  1 owner
-- Reply how often the owner still holds it | -1 it is not this owner's any more

if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return -1 end
local count = redis.call('HINCRBY', KEYS[1], 'count', -1)
if count <= 0 then
  redis.call('DEL', KEYS[1])
  return 0
end
return count
