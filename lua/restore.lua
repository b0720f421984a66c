-- Puts back one page of the ledger's holders (and barred shoppers) between begin.lua and open.lua.
--
-- KEYS  1 sale   2 users
-- ARGV  1 epoch   2 fence   then user id, entry, user id, entry, ...
-- Reply restored | changed (no filling of this epoch and fence is under way, or Redis was restarted)

local sale = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'fence', 'run_id')
if sale[1] ~= 'restoring' or sale[2] ~= ARGV[1] or sale[3] ~= ARGV[2]
  or redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[1]
  or sale[4] ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then
  return 'changed'
end

local barred = 0
for i = 3, #ARGV, 2 do
  local new = redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1])
  if new == 1 and string.find(ARGV[i + 1], '|barred|', 1, true) then barred = barred + 1 end
end
if barred > 0 then redis.call('HINCRBY', KEYS[1], 'barred', barred) end
return 'restored'
