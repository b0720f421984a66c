-- Begins to fill the gate for one epoch of a sale, at the preheat or at a rebuild: whatever was here
-- goes, and until open.lua has finished every shopper is told "not loaded". The outbox stays: what it
-- holds was promised to somebody, and the recorder settles it by its epoch. What had left it was recalled
-- into it before (recall.lua).
--
-- KEYS  1 sale   2 stock   3 users   4 underway
-- ARGV  1 epoch   2 fence   3 expiry of all keys, ms since the epoch of time
-- Reply begun | fenced (another holder of the activity's lock was here)
--       newer (a later epoch is here, or this one and it was opened: there are holders to lose)

local epoch, fence, units = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'fence', 'units'))
if fence and tonumber(fence) > tonumber(ARGV[2]) then return 'fenced' end
if epoch then
  local ahead = tonumber(epoch) - tonumber(ARGV[1])
  -- Units are there from the opening on, also when the sale was stopped since.
  if ahead > 0 or (ahead == 0 and units) then return 'newer' end
else
  local held = redis.call('HGET', KEYS[3], 'epoch')
  if held and tonumber(held) >= tonumber(ARGV[1]) and redis.call('HLEN', KEYS[3]) > 1 then
    return 'newer'
  end
end

redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
redis.call('HSET', KEYS[1], 'state', 'restoring', 'epoch', ARGV[1], 'fence', ARGV[2],
  'run_id', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'), 'barred', 0, 'version', 0)
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
-- The field keeps the hash in being while it has no holder, and says which filling it belongs to.
redis.call('HSET', KEYS[3], 'epoch', ARGV[1])
redis.call('PEXPIREAT', KEYS[3], ARGV[3])
return 'begun'
