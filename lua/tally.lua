-- Takes what a web node has counted: its own totals of answers by outcome, and shoppers who asked. A node
-- writes no field but its own, and the larger total counts: a call may be repeated, come late or be lost,
-- and a gate that was emptied is told again by the next one. Whatever was written by half a call is true.
--
-- KEYS  1 tally   2 seen   3 sale (read only: the counts live as long as it does)
-- ARGV  1 node   2 number of outcomes   then outcome, total, outcome, total, ...   then user ids
-- Reply told | not_loaded (the gate does not hold the sale: say it again later)

local expiry = redis.call('PEXPIRETIME', KEYS[3])
if expiry <= 0 then return 'not_loaded' end

local last = 2 + 2 * tonumber(ARGV[2])
for i = 3, last, 2 do
  local field = ARGV[1] .. ' ' .. ARGV[i]
  local total = tonumber(redis.call('HGET', KEYS[1], field) or 0)
  if total < tonumber(ARGV[i + 1]) then redis.call('HSET', KEYS[1], field, ARGV[i + 1]) end
end
if #ARGV > last then redis.call('PFADD', KEYS[2], unpack(ARGV, last + 1)) end
for i = 1, 2 do redis.call('PEXPIREAT', KEYS[i], expiry) end
return 'told'
