-- Puts what is between outbox and ledger back into the outbox, before a new filling is begun: the outbox is
-- kept then, and what it holds is put back into the gate. The message may still arrive, so it comes twice;
-- a number has one row.
--
-- KEYS  1 users   2 outbox   3 underway
-- ARGV  1 product id   2 activity id   3 bucket   4 currency   5 request id
--       then user id, order number, user id, order number, ...
-- Reply how many were put back. One whose entry is not reserved (any more) under that number is not.

local epoch = redis.call('HGET', KEYS[1], 'epoch')
local recalled = 0
for i = 6, #ARGV, 2 do
  local user, number = ARGV[i], ARGV[i + 1]
  local entry = redis.call('HGET', KEYS[1], user)
  local named, price, reserved
  if entry then named, price, reserved = string.match(entry, '^(%w+)|reserved|(%d+)|(%d+)$') end
  if epoch and named == number then
    redis.call('XADD', KEYS[2], '*', 'order_no', number, 'user_id', user, 'product_id', ARGV[1],
      'activity_id', ARGV[2], 'bucket', ARGV[3], 'epoch', epoch, 'price_cents', price,
      'currency', ARGV[4], 'reserved_at_ms', reserved, 'request_id', ARGV[5])
    recalled = recalled + 1
  end
  redis.call('ZREM', KEYS[3], number .. '|' .. user)
end
return recalled
