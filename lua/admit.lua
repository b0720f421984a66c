-- Decides one purchase: who gets a unit. The only place where a unit is given away.
--
-- KEYS  1 sale   2 stock   3 users   4 rate of this shopper   5 ticket of this shopper   6 outbox
--       7 rate of all shoppers
-- ARGV  1 user id   2 order number   3 ticket's token   4 captcha's answer   5 request id
-- Reply {word, detail?}
--   not_loaded                the gate does not hold this sale, or Redis came back with other data
--   admitted, number          the unit is theirs; a repetition with the same number says it again
--   already_held, number      they hold a unit under this number
--   barred                    they cancelled and may not buy again
--   too_fast                  too many requests in this second
--   not_open, opens at ms     by Redis' own clock
--   ended | paused | sold_out | busy
--   ticket_invalid            no live ticket of this token
--   captcha_wrong             the ticket is spent
--
-- Everything that can fail is checked before the first write of a purchase: Redis does not roll back
-- half a script. (The rates' counters are written before; they stand for themselves.)

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'opens', 'closes', 'rate',
  'outbox_bound', 'run_id', 'product', 'activity', 'bucket', 'currency', 'attempts')
local epoch, state = sale[1], sale[2]
-- Only a whole number is a stock: DECR takes no other, and it would fail after the first writes.
local stock = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%-?%d+$'))
local users = redis.call('HMGET', KEYS[3], 'epoch', ARGV[1])
if not epoch or not stock or users[1] ~= epoch or state == 'restoring' then
  return {'not_loaded'}
end

-- The holder comes first: a winner who clicks again, at any time, is shown their own order.
if users[2] then
  local number, entry = string.match(users[2], '^(%w+)|(%a+)|')
  if entry == 'barred' then return {'barred'} end
  if number == ARGV[2] then return {'admitted', number} end
  return {'already_held', number}
end

local requests = redis.call('INCR', KEYS[4])
if requests == 1 then redis.call('PEXPIRE', KEYS[4], 1000) end
if requests > tonumber(sale[5]) then return {'too_fast'} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if state == 'ended' or now >= tonumber(sale[4]) then return {'ended'} end
if now < tonumber(sale[3]) then return {'not_open', sale[3]} end
if state == 'paused' then return {'paused'} end

if stock <= 0 then return {'sold_out'} end
if redis.call('XLEN', KEYS[6]) >= tonumber(sale[6]) then return {'busy'} end

local ticket = redis.call('HMGET', KEYS[5], 'token', 'answer', 'price_cents')
if not ticket[1] or ticket[1] ~= ARGV[3] or not ticket[3] then return {'ticket_invalid'} end

-- All shoppers together: only attempts that might have got a unit count, so that nobody uses the bound up
-- with what is refused anyway. The ticket is not spent.
if sale[12] and sale[12] ~= '' then
  local attempts = redis.call('INCR', KEYS[7])
  if attempts == 1 then redis.call('PEXPIRE', KEYS[7], 1000) end
  if attempts > tonumber(sale[12]) then return {'busy'} end
end

-- A Redis that was restarted may have come back without its last second. Asked only here, since it
-- costs more than all of the above and only a taken unit can do harm.
if string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[7] then
  return {'not_loaded'}
end

redis.call('DEL', KEYS[5])
if ticket[2] ~= '' and ticket[2] ~= ARGV[4] then return {'captcha_wrong'} end

redis.call('XADD', KEYS[6], '*', 'order_no', ARGV[2], 'user_id', ARGV[1], 'product_id', sale[8],
  'activity_id', sale[9], 'bucket', sale[10], 'epoch', epoch, 'price_cents', ticket[3],
  'currency', sale[11], 'reserved_at_ms', string.format('%.0f', now), 'request_id', ARGV[5])
redis.call('HSET', KEYS[3], ARGV[1],
  ARGV[2] .. '|reserved|' .. ticket[3] .. '|' .. string.format('%.0f', now))
redis.call('DECR', KEYS[2])
return {'admitted', ARGV[2]}
