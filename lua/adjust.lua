-- Changes the units of a loaded sale, once per change id: more units, or fewer of those that are free.
--
-- KEYS  1 sale   2 stock   3 users
-- ARGV  1 epoch   2 fence   3 change id   4 units to add, or to give up when negative
--       5 the ledger's total for this bucket; a raise never goes above it
-- Reply {'done', units changed} also when the id was seen before | {'not_loaded'} | {'fenced'}
--
-- Fewer: only what no shopper holds is given up, so the figure may be smaller than asked. What is free
-- is counted from the holders, and a Redis that may have come back with older data gives nothing up:
-- what looks free there may be held.

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'fence', 'state', 'change_id', 'change_by', 'units',
  'barred', 'run_id')
local stock = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%-?%d+$'))
if sale[1] ~= ARGV[1] or not stock or sale[3] == 'restoring'
  or redis.call('HGET', KEYS[3], 'epoch') ~= ARGV[1]
  or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[8] then
  return {'not_loaded'}
end
if tonumber(sale[2]) > tonumber(ARGV[2]) then return {'fenced'} end
if sale[4] == ARGV[3] then return {'done', tonumber(sale[5])} end

local by, units = tonumber(ARGV[4]), tonumber(sale[6])
local holders = redis.call('HLEN', KEYS[3]) - 1 - sale[7]
if by > 0 then
  by = math.max(math.min(by, ARGV[5] - units), 0)
else
  -- Written so that "nothing" is 0: Lua also knows -0, which Redis does not take for a number.
  by = math.max(by, math.min(holders - units, 0))
end
redis.call('HSET', KEYS[1], 'fence', ARGV[2], 'change_id', ARGV[3], 'change_by', by,
  'units', units + by)
-- stock = units - holders
redis.call('SET', KEYS[2], units + by - holders, 'KEEPTTL')
return {'done', by}
