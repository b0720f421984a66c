-- Lists the processes that were heard of, the latest first. Reads only.
--
-- KEYS  1 index of processes
-- ARGV  1 how many at most
-- Reply now in ms, then process, time in ms, process, time in ms, ...

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local heard = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1, 'REV', 'WITHSCORES')
return {now, unpack(heard)}
