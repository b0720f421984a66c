### One order, and the list of mine.

orders-title = My orders
orders-none = Nothing here yet
orders-none-what = When you get a unit, its order appears here.
orders-older = Older orders

order-label-reserved = Reserved
order-label-checking = Checking
order-label-pending-payment = To be paid
order-label-paid = Paid
order-label-cancelled = Cancelled
order-label-rejected = Not placed
order-label-lost = Not placed

order-reserved = Yours! Your order is being placed
order-reserved-what = A unit is reserved for you. We are writing your order now; this page goes on by itself.
order-checking = Checking your order
order-checking-what = We cannot see at this moment whether a unit is yours. You need not do anything, and need not buy again: this page goes on by itself as soon as we know.
order-pending-payment = Your order is placed
order-pending-payment-what = Your unit is kept for you until the time below is over. Pay, and it is yours for good.
order-paid = Paid. Thank you!
order-paid-what = The unit is yours.
order-cancelled = Order cancelled
order-cancelled-by-shopper = You cancelled this order. You owe nothing, and the unit is back on sale.
order-cancelled-not-paid = It was not paid in time, so the unit went back on sale. You owe nothing.
order-cancelled-by-staff = We cancelled this order. You owe nothing.
order-rejected = Your order could not be placed
order-rejected-sold-out = When we wrote your order there was no unit left, although one had been reserved. We are sorry. Nothing was charged and you owe nothing.
order-rejected-already-held = You already have an order in this sale, and it is one per person. That order stands; nothing more was taken.
order-rejected-barred = You cancelled an order in this sale before, so another could not be placed. Nothing was charged and you owe nothing.
order-lost = This purchase was lost
order-lost-what = A fault of ours lost it before your order was written. No unit is held for you, nothing was charged, and you may buy again. We are sorry.

steps-label = Progress
step-reserved = Reserved
step-placed = Placed
step-paid = Paid

pay-within = Pay within
pay-before = Pay before
pay-button = Pay { $amount }
pay-sending = Paying …
cancel-summary = Cancel this order
cancel-what = The unit goes back on sale. You can try again in this sale while it lasts.
cancel-what-final = The unit goes back on sale, and you cannot buy in this sale again.
cancel-button = Yes, cancel the order

order-amount = Price
order-state = State
order-made-at = Bought
order-paid-at = Paid on
order-cancelled-at = Cancelled on
order-number = Order number

order-notice-being-placed = Your order is still being placed. Paying and cancelling are possible in a moment.
order-notice-has-changed = The order had changed in the meantime, so nothing was done. This is how it stands now.
order-notice-payment-unavailable = The payment could not be begun. Nothing was charged; please try again in a moment.

history-title = What happened
history-placed = Your order was placed
history-paid = Paid
history-cancelled-by-shopper = You cancelled the order
history-cancelled-not-paid = Cancelled, because it was not paid in time
history-cancelled-by-staff = We cancelled the order
history-rejected = The order could not be placed
history-lost = The purchase was lost by a fault of ours
