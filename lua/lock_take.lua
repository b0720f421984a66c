-- Takes a lock, or takes it once more by the same owner.
--
-- KEYS  1 lock
-- ARGV  1 owner   2 life in ms
-- Reply how often the owner now holds it | 0 somebody else does

local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1])
local count = redis.call('HINCRBY', KEYS[1], 'count', 1)
-- A second holding of a shorter life leaves the first one's.
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
end
return count
