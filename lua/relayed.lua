-- Takes entries off the outbox that are safe in the queue, and notes which of them are still to be recorded,
-- so that one that never arrives can be found.
--
-- KEYS  1 users   2 outbox   3 underway
-- ARGV  entry's id, user id, order number, reserved at ms, entry's id, ...; an entry that could not be read
--       has an empty user id
-- Reply how many entries are noted
--
-- The entries go first: Redis refuses nothing after a script's first write, so that a full one is emptied
-- and not stopped. The recorder may have been faster than the broker's confirm; then nothing is noted.

local ids, holders = {}, {}
for i = 1, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
  holders[#holders + 1] = ARGV[i + 1]
end
local entries = redis.call('HMGET', KEYS[1], unpack(holders))
local expires = redis.call('PEXPIRETIME', KEYS[1])
redis.call('XDEL', KEYS[2], unpack(ids))

local noted = {}
for i = 1, #ids do
  local number = ARGV[4 * i - 1]
  if entries[i] and string.find(entries[i], number .. '|reserved|', 1, true) == 1 then
    noted[#noted + 1] = ARGV[4 * i]
    noted[#noted + 1] = number .. '|' .. holders[i]
  end
end
if #noted == 0 then return 0 end
redis.call('ZADD', KEYS[3], unpack(noted))
if expires > 0 then redis.call('PEXPIREAT', KEYS[3], expires) end
return #noted / 2
