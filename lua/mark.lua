-- Marks holders' entries as recorded in the ledger. An entry that names another number stays as it is.
-- None of these numbers is under way any more.
--
-- KEYS  1 users   2 underway
-- ARGV  user id, order number, user id, order number, ...
-- Reply how many entries now say recorded

local marked = 0
for i = 1, #ARGV, 2 do
  redis.call('ZREM', KEYS[2], ARGV[i + 1] .. '|' .. ARGV[i])
  local entry = redis.call('HGET', KEYS[1], ARGV[i])
  if entry then
    local number, state, rest = string.match(entry, '^(%w+)|(%a+)(|.*)$')
    if number == ARGV[i + 1] and state ~= 'barred' then
      if state == 'reserved' then
        redis.call('HSET', KEYS[1], ARGV[i], number .. '|recorded' .. rest)
      end
      marked = marked + 1
    end
  end
end
return marked
