-- Keeps what a process tells of itself, once a second, and forgets whoever was not heard for long.
--
-- KEYS  1 index of processes   2 the process's pulse   3 its past
-- ARGV  1 process   2 pulse   3 life in ms   4 this moment, '' for none   5 how many moments are kept
-- Reply told

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local life = tonumber(ARGV[3])
-- What is of a wrong type fails here.
redis.call('ZCARD', KEYS[1])
redis.call('GET', KEYS[2])
redis.call('LLEN', KEYS[3])

redis.call('SET', KEYS[2], ARGV[2], 'PX', life)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - life))
redis.call('PEXPIRE', KEYS[1], life)
if ARGV[4] ~= '' then
  redis.call('LPUSH', KEYS[3], now .. ' ' .. ARGV[4])
  redis.call('LTRIM', KEYS[3], 0, ARGV[5] - 1)
  redis.call('PEXPIRE', KEYS[3], life)
end
return 'told'
