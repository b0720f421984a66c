-- Puts a reservation that was lost on its way into the outbox once more, at most once in a while.
--
-- KEYS  1 sale   2 users   3 outbox   4 this shopper's turn
-- ARGV  1 user id   2 order number   3 request id   4 the while, ms
-- Reply again
--       nothing     the shopper's entry does not name that number, or holds no unit (any more)
--       lately      it was done within that while; whatever came of it may still arrive
--       not_loaded  not held here now, being restored, or Redis came back with other data

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run_id', 'product', 'activity', 'bucket',
  'currency')
local users = redis.call('HMGET', KEYS[2], 'epoch', ARGV[1])
if not sale[1] or users[1] ~= sale[1] or sale[2] == 'restoring'
  or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') ~= sale[3] then
  return 'not_loaded'
end

local number, state, price, reserved
if users[2] then number, state, price, reserved = string.match(users[2], '^(%w+)|(%a+)|(%d+)|(%d+)$') end
if number ~= ARGV[2] or state == 'barred' then return 'nothing' end
if not redis.call('SET', KEYS[4], '1', 'NX', 'PX', ARGV[4]) then return 'lately' end

redis.call('XADD', KEYS[3], '*', 'order_no', number, 'user_id', ARGV[1], 'product_id', sale[4],
  'activity_id', sale[5], 'bucket', sale[6], 'epoch', sale[1], 'price_cents', price,
  'currency', sale[7], 'reserved_at_ms', reserved, 'request_id', ARGV[3])
return 'again'
