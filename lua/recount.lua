-- Counts a bucket's stock anew, where something beside these scripts has changed it.
--
-- KEYS  1 sale   2 stock   3 users
-- ARGV  1 epoch
-- Reply {'done', by how many units the stock was too high}
--       {'not_loaded'} not held here now, of another epoch, being restored, or Redis came back with other data

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run_id', 'units', 'barred')
local stock = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%-?%d+$'))
if sale[1] ~= ARGV[1] or redis.call('HGET', KEYS[3], 'epoch') ~= ARGV[1] or sale[2] == 'restoring'
  or not stock or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[3] then
  return {'not_loaded'}
end

-- stock = units - holders, counted here and now
local holders = redis.call('HLEN', KEYS[3]) - 1 - tonumber(sale[5] or 0)
local right = tonumber(sale[4]) - holders
redis.call('SET', KEYS[2], string.format('%.0f', right), 'KEEPTTL')
return {'done', stock - right}
