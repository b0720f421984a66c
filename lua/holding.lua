-- What the gate knows of one shopper, changing nothing: for the order page and the recorder.
--
-- KEYS  1 sale   2 users
-- ARGV  1 user id
-- Reply {epoch?, restoring, entry?}
--   epoch      of the filling that the entries belong to
--   restoring  1 the gate does not hold the sale whole, or was restarted with data that may be older:
--                that there is no entry proves nothing
--              0 without entry, they hold nothing
--
-- Many poll it, so it asks for the server's run id only where there is no entry.

local users = redis.call('HMGET', KEYS[2], 'epoch', ARGV[1])
local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'run_id')
local whole = users[1] and users[1] == sale[1] and sale[2] ~= 'restoring'
if whole and not users[2] then
  whole = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') == sale[3]
end
return {users[1], whole and 0 or 1, users[2]}
