-- Gives the shopper's live ticket, or issues one. With an empty token it only looks.
--
-- KEYS  1 sale   2 stock   3 users   4 ticket of this shopper
-- ARGV  1 user id   2 new token or ''   3 captcha's answer, '' for none   4 picture's seed
--       5 life of a ticket in ms
-- Reply {word, ...}
--   ticket, token, price_cents, seed, ms left     the live one, whether old or new
--   none                                          there is none yet; call again with a token
--   not_loaded | already_held, number | barred | not_open, opens at ms | ended | paused | sold_out
--                                                 as in admit.lua: there is nothing to buy
--
-- The ticket holds the price that the shopper is shown; admit.lua makes it the price of the order.

local sale = redis.call('HMGET', KEYS[1], 'epoch', 'state', 'opens', 'closes', 'price_cents')
local epoch, state = sale[1], sale[2]
local stock = tonumber(string.match(redis.call('GET', KEYS[2]) or '', '^%-?%d+$'))
local users = redis.call('HMGET', KEYS[3], 'epoch', ARGV[1])
if not epoch or not stock or users[1] ~= epoch or state == 'restoring' then
  return {'not_loaded'}
end

if users[2] then
  local number, entry = string.match(users[2], '^(%w+)|(%a+)|')
  if entry == 'barred' then return {'barred'} end
  return {'already_held', number}
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if state == 'ended' or now >= tonumber(sale[4]) then return {'ended'} end
if now < tonumber(sale[3]) then return {'not_open', sale[3]} end
if state == 'paused' then return {'paused'} end
if stock <= 0 then return {'sold_out'} end

local ticket = redis.call('HMGET', KEYS[4], 'token', 'price_cents', 'seed')
local left = redis.call('PTTL', KEYS[4])
if ticket[1] and left > 0 then
  return {'ticket', ticket[1], ticket[2], ticket[3], left}
end
if ARGV[2] == '' then return {'none'} end

-- All fields are written, so that nothing of a former ticket stays. (No DEL before it: once a script has
-- written, Redis no longer stops it for want of memory.)
redis.call('HSET', KEYS[4], 'token', ARGV[2], 'answer', ARGV[3], 'price_cents', sale[5],
  'seed', ARGV[4])
redis.call('PEXPIRE', KEYS[4], ARGV[5])
return {'ticket', ARGV[2], sale[5], ARGV[4], tonumber(ARGV[5])}
