-- What the gate knows of one shopper, changing nothing: for the order page.
--
-- KEYS  1 sale   2 users
-- ARGV  1 user id
-- Reply {loaded, entry?}
--   loaded  1 the gate holds the sale: without entry, they hold nothing
--           0 it does not, or is being filled, or was restarted with data that may be older:
--             that there is no entry proves nothing
--
-- Many poll it, so it asks for the server's run id only where there is no entry.

local users = redis.call('HMGET', KEYS[2], 'epoch', ARGV[1])
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run_id')
local loaded = users[1] and users[1] == sale[1] and sale[2] ~= 'restoring'
if users[2] then return {loaded and 1 or 0, users[2]} end
if loaded and string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') == sale[3] then
  return {1}
end
return {0}
