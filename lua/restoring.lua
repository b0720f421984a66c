-- Stops a loaded sale because it is about to be rebuilt: from now on shoppers are told "restoring".
--
-- KEYS  1 sale
-- ARGV  1 fence
-- Reply stopped | missing | fenced

local fence = redis.call('HGET', KEYS[1], 'fence')
if not fence then return 'missing' end
if tonumber(fence) > tonumber(ARGV[1]) then return 'fenced' end
redis.call('HSET', KEYS[1], 'state', 'restoring', 'fence', ARGV[1])
return 'stopped'
