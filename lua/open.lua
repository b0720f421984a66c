-- Gives the gate a sale's configuration: the last step of a filling begun by begin.lua, which sets the
-- stock; on a loaded sale only window, limits, price and state change, and only with a higher version.
--
-- KEYS  1 sale   2 stock   3 users
-- ARGV  1 epoch   2 fence   3 version   4 state: open, paused or ended   5 opens ms   6 closes ms
--       7 requests per shopper and second   8 price in minor units   9 currency   10 product id
--       11 activity id   12 bucket   13 outbox's bound   14 units of this bucket (filling only)
--       15 expiry of all keys, ms since the epoch of time; never brought forward
--       16 attempts of all shoppers a second; empty for no bound
-- Reply opened    the filling is finished, the sale is loaded
--       changed   the configuration of a loaded sale was replaced
--       unchanged the gate has this version or a later one
--       fenced | other_epoch
--       restarted (begin again: Redis was, or the filling is another's, who may not have finished it)

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'fence', 'version', 'state', 'run_id', 'barred')
if sale[1] ~= ARGV[1] or redis.call('HGET', KEYS[3], 'epoch') ~= ARGV[1] then return 'other_epoch' end
if tonumber(sale[2]) > tonumber(ARGV[2]) then return 'fenced' end
if sale[5] ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then return 'restarted' end

local filling = sale[4] == 'restoring'
-- Only whoever began a filling knows that all holders are back; anybody else begins again.
if filling and sale[2] ~= ARGV[2] then return 'restarted' end
if not filling and tonumber(sale[3]) >= tonumber(ARGV[3]) then return 'unchanged' end

redis.call('HSET', KEYS[1], 'fence', ARGV[2], 'version', ARGV[3], 'state', ARGV[4], 'opens', ARGV[5],
  'closes', ARGV[6], 'rate', ARGV[7], 'price_cents', ARGV[8], 'currency', ARGV[9],
  'product', ARGV[10], 'activity', ARGV[11], 'bucket', ARGV[12], 'outbox_bound', ARGV[13],
  'attempts', ARGV[16])
if filling then
  redis.call('HSET', KEYS[1], 'units', ARGV[14])
  -- stock = units - holders
  redis.call('SET', KEYS[2], ARGV[14] - (redis.call('HLEN', KEYS[3]) - 1 - sale[6]),
    'PXAT', redis.call('PEXPIRETIME', KEYS[1]))
end
-- Never earlier: an end that is moved forward may not take holders' entries with it.
for i = 1, 3 do redis.call('PEXPIREAT', KEYS[i], ARGV[15], 'GT') end
return filling and 'opened' or 'changed'
