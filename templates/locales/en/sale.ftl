### The list of sales and the page of one.

sales-title = Flash sales
sales-intro = Few units, low prices, a fixed start. Be there when the countdown ends.
sales-open = On now
sales-upcoming = Coming up
sales-ended = Over
sales-none = No sales yet
sales-none-what = The next one will be announced here.

state-upcoming = Coming up
state-open = On now
state-sold-out = Sold out
state-paused = Paused
state-restoring = One moment
state-ended = Over
state-cancelled = Called off

starts-in = Starts in
starts-at = Starts
ends-in = Ends in
ended-at = Ended
sale-runs = On sale
server-time = Our clock when this page was made:
former-price = Before:

stock-label = Left in stock, per cent
stock-none = None left
stock-almost-gone = Almost gone
stock-quarter = About a quarter left
stock-half = About half left
stock-plenty = Plenty left
stock-all = All still there

buy-now = Buy now
buy-soon = Opens soon
sign-in-to-buy = Sign in to buy
sign-in-before-start = Sign in and be ready
one-per-person = One per person
announce-open = The sale is open. You can buy now.

sold-out-title = Sold out for now
sold-out-what = Every unit is taken. Orders that are not paid in time come back on sale, so it can be worth another look.
sold-out-try = Try anyway
paused-title = The sale is paused
paused-what = It goes on soon. This page notices by itself; orders that were placed are safe.
restoring-title = One moment, please
restoring-what = The sale is being restored. Nothing is lost: orders and places are safe, and this page goes on by itself.
ended-title = This sale is over
called-off-title = This sale was called off
called-off-what = It was called off before it began. Nobody bought anything.

about-product = About the product
how-title = How it works
how-start = At the start the button opens, for everybody at the same moment. The countdown runs on our clock, so yours need not be right.
how-picture = Press the button and type the characters you see in a picture.
how-one = The first to answer get a unit, one per person. You learn at once whether one is yours.
how-pay = Pay within { $duration }. An order that is not paid in time is cancelled, and its unit goes to somebody else.
