### Paying: the sandbox's page, and what the order's page says of money.

sandbox-title = Sandbox payment
sandbox-what = This stands in for a bank. No money is taken.
sandbox-amount = To pay
sandbox-telling = How the shop is told
sandbox-once = At once
sandbox-twice = Twice, as networks do
sandbox-late = Only after 20 seconds
sandbox-never = Not at all: the shop has to ask
sandbox-decline = Decline
sandbox-decided = This payment is decided. There is nothing more to do here.
sandbox-back = Back to the shop

money-begun = A payment was begun. If you have paid, this page tells you as soon as we hear of it; you need not pay again.
money-failed = The last payment did not go through. Nothing was charged; you can pay again while the time lasts.
money-goes-back = We received a payment of { $amount } that this order could not take. It goes back to you; you need not do anything.
money-is-back = A payment of { $amount } that this order could not take has gone back to you.
