-- Gives a shopper of whom the ledger has an order, and the gate nothing, their entry back.
--
-- KEYS  1 sale   2 stock   3 users
-- ARGV  1 epoch   2 user id   3 entry
-- Reply put_back | held (the shopper has an entry; it stays as it is)
--       not_loaded (not held here now, of another epoch, being restored, or Redis came back with other data)
--
-- The stock may fall below none by it: the unit was sold twice here, and the ledger refuses the second.

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run_id', 'units')
if sale[1] ~= ARGV[1] or redis.call('HGET', KEYS[3], 'epoch') ~= ARGV[1] or sale[2] == 'restoring'
  or redis.call('EXISTS', KEYS[2]) == 0
  or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[3] then
  return 'not_loaded'
end

if redis.call('HSETNX', KEYS[3], ARGV[2], ARGV[3]) == 0 then return 'held' end
if string.find(ARGV[3], '|barred|', 1, true) then redis.call('HINCRBY', KEYS[1], 'barred', 1) end

-- stock = units - holders, counted here and now
local barred = tonumber(redis.call('HGET', KEYS[1], 'barred') or 0)
local holders = redis.call('HLEN', KEYS[3]) - 1 - barred
redis.call('SET', KEYS[2], string.format('%.0f', sale[4] - holders), 'KEEPTTL')
return 'put_back'
