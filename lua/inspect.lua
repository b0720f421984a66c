-- Looks at one bucket, changing nothing: for the keeper, the balance sheet and the stock on the pages.
--
-- KEYS  1 sale   2 stock   3 users   4 outbox
-- Reply {condition, epoch, version, units, stock, holders, outbox entries, state}
--   condition  loaded | missing (a key is gone, or the stock is no whole number) | mixed (keys of two epochs) | restoring
--              | restarted (the server is not the one that was filled: data may be older)

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'version', 'units', 'barred', 'state', 'run_id')
local stock = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%-?%d+$'))
local users = redis.call('HGET', KEYS[3], 'epoch')
local condition = 'loaded'
if not sale[1] or not users then
  condition = 'missing'
elseif sale[5] == 'restoring' then
  condition = 'restoring'
elseif not stock then
  condition = 'missing'
elseif users ~= sale[1] then
  condition = 'mixed'
elseif string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[6] then
  condition = 'restarted'
end
local holders = math.max(redis.call('HLEN', KEYS[3]) - 1 - tonumber(sale[4] or 0), 0)
return {condition, tonumber(sale[1] or 0), tonumber(sale[2] or 0), tonumber(sale[3] or 0),
  stock or 0, holders, redis.call('XLEN', KEYS[4]), sale[5] or ''}
