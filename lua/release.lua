-- Gives a holder's unit back. Acts only if the shopper's entry names that number, so a repeated cancel,
-- a redelivery or a race can neither add a unit twice nor free a newer order. Whatever the entry says, the
-- number is not under way any more.
--
-- KEYS  1 sale   2 stock   3 users   4 underway
-- ARGV  1 user id   2 order number
--       3 'free'     the unit is sellable again
--         'bar'      also, and the shopper may not buy again
--         'surplus'  the ledger had no unit for it: the gate was given one too many
--       4 the ledger's total for this bucket; units never fall below it ('surplus' only)
-- Reply released | nothing | not_loaded (not held here now, or being restored: ask again later)

local epoch, state, units = unpack(redis.call('HMGET', KEYS[1], 'epoch', 'state', 'units'))
local users = redis.call('HMGET', KEYS[3], 'epoch', ARGV[1])
if not epoch or users[1] ~= epoch or state == 'restoring'
  or redis.call('EXISTS', KEYS[2]) == 0 then
  return 'not_loaded'
end

redis.call('ZREM', KEYS[4], ARGV[2] .. '|' .. ARGV[1])
if not users[2] then return 'nothing' end
local number, entry, rest = string.match(users[2], '^(%w+)|(%a+)(|.*)$')
if number ~= ARGV[2] or entry == 'barred' then return 'nothing' end

if ARGV[3] == 'bar' then
  redis.call('HSET', KEYS[3], ARGV[1], number .. '|barred' .. rest)
  redis.call('HINCRBY', KEYS[1], 'barred', 1)
else
  redis.call('HDEL', KEYS[3], ARGV[1])
end
units = tonumber(units)
if ARGV[3] == 'surplus' and units > tonumber(ARGV[4]) then
  units = redis.call('HINCRBY', KEYS[1], 'units', -1)
end

-- stock = units - holders, counted here and now
local barred = tonumber(redis.call('HGET', KEYS[1], 'barred') or 0)
local holders = redis.call('HLEN', KEYS[3]) - 1 - barred
redis.call('SET', KEYS[2], units - holders, 'KEEPTTL')
return 'released'
