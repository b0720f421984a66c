### The console's pages about activities.

activities-title = Activities
activities-new = New activity
activities-search = Title or product
activities-search-button = Search
activities-filter = State
activities-all = All
activities-none = No activity here
activities-none-what = Make the first one with “New activity”.
activities-show-all = Show all activities
activities-older = Older activities
col-activity = Activity
col-state = State
col-window = Window
col-price = Price
col-left = Left / total
col-links = Links

stage-draft = Draft
stage-scheduled = Scheduled
stage-upcoming = Upcoming
stage-open = Open
stage-paused = Paused
stage-ended = Ended
stage-settled = Settled
stage-cancelled = Cancelled

act-edit = Edit
act-preview = Preview
act-dashboard = Dashboard
yes = Yes
no = No
no-bound = No bound

# $month is 1 to 12; $clock is written 20:00; $offset is written CET (UTC+01:00).
zoned-moment =
    { $day } { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    } { $year }, { $clock } { $offset }
zoned-moment-short =
    { $day } { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    } { $year }, { $clock }
zoned-date =
    { $day } { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    } { $year }
zone-note = Times on this page are in the zone

form-title-new = New activity
form-title-edit = Edit activity
form-group-what = What is sold
form-product = Product
form-product-choose = Choose a product
form-product-help = Archived products are not on the list.
form-product-new = Make a new product
form-title = Title
form-title-help = The headline in the shop. 1 to 200 characters.
form-group-price = Price and stock
form-price = Sale price
form-price-help = In { $currency }, with a point: 19.99. Orders keep the price that was shown when they were made.
form-stock = Stock
form-stock-help = Units to sell. Once it is scheduled, the stock is changed on the activity's page.
form-stock-fixed = Of a scheduled activity the stock is changed by adding or taking away.
form-stock-adjust = Change the stock
form-buckets = Buckets
form-buckets-help = Parts of the stock at the gate. This version has 1.
form-fixed-published = Fixed since the activity was scheduled.
form-group-window = Window
form-zone = Time zone
form-zone-help = Start and end are what clocks in this zone show. Another zone with the same clock times is another window.
form-starts-at = Start
form-starts-help = To the second, by our clock.
form-start-fixed = The sale has begun; its start is fixed.
form-ends-at = End
form-ends-help = From this moment on nobody can buy.
form-fold = Which one?
form-fold-earlier = The earlier one, { $offset }
form-fold-later = The later one, { $offset }
form-group-limits = Limits and captcha
form-captcha = Ask for the characters in a picture
form-captcha-help = Slows machines down. Without it, they are faster than people.
form-rate = Requests of one shopper, a second
form-rate-help = 1 to 1000. More are told to slow down.
form-total-rate = Attempts of all shoppers, a second
form-total-rate-help = Empty for no bound. More are told to try again in a moment.
form-group-payment = Payment and buying again
form-pay-within = Time to pay
form-pay-unit = Unit of the time to pay
form-pay-within-help = 10 seconds to 30 days. Then the order is cancelled and its unit is for sale again.
form-rebuy = May buy again after a cancelled order
form-rebuy-help = If not, whoever cancels or does not pay is out of this activity.
form-state = State
unit-seconds = seconds
unit-minutes = minutes
unit-hours = hours
unit-days = days
form-create = Make a draft
form-save = Save
form-save-anyway = Yes, save it like this
form-save-over = Save with my values
form-saving = Saving …
form-back = Back without saving
form-warnings = Nothing was saved yet. Is this meant?
form-changed = Somebody else changed this activity meanwhile. Nothing was saved.
form-changed-what = Below is what they changed. What you typed is still in the form; what you left alone has taken over their values. Where a value is marked, yours is another one, and saving puts it in place of theirs.
form-changed-field = Field
form-changed-seen = When you began
form-changed-now = Now
form-changed-yours = In your form
form-changed-discard = Drop my values and begin with the present ones

fault-zone = Time zone: choose one from the list.
fault-product = Product: choose one that is not archived.
fault-product-fixed = Product: fixed since the activity was scheduled.
fault-title = Title: 1 to 200 characters, none of them a control character.
fault-price = Price: more than 0 and at most 99999999.99.
fault-price-not-an-amount = Price: write digits with a point, like 19.99; no comma, no currency sign.
fault-price-too-precise = Price: at most two decimals, like 19.99.
fault-stock = Stock: a whole number from 0 to 100000000, in digits alone.
fault-stock-fixed = Stock: of a scheduled activity it is changed by adding or taking away.
fault-time-missing = { $field }: the time is missing.
fault-time = { $field }: not a date and time; write it like 2026-03-29T20:00.
fault-time-gap = { $field }: on { $date } clocks in { $zone } go from { $from } to { $to }; { $typed } does not exist. Choose a time before or after.
fault-time-twice = { $field }: on { $date } clocks in { $zone } show { $typed } twice. Choose which one is meant.
fault-start-too-early = Start: after the year 1970.
fault-start-fixed = Start: the sale has begun; its start is fixed.
fault-end-before-start = End: must be after the start.
fault-end-too-late = End: before the year 3000.
fault-end-passed = End: has passed. To close the sale now, end it on the activity's page.
fault-buckets = Buckets: 1. More parts need the moving of units between them, which this version does not have.
fault-buckets-fixed = Buckets: fixed since the activity was scheduled.
fault-rebuy-fixed = Buying again: fixed once the activity is published.
fault-pay-within = Time to pay: a whole number; 10 seconds to 30 days.
fault-rate = Requests of one shopper: a whole number from 1 to 1000.
fault-total-rate = Attempts of all shoppers: a whole number from 1 to 1000000, or nothing.
fault-adjust = Units: a whole number from 1 to { $max }, in digits alone.

warnings-label = Please note
warn-price-not-below = The price is not below the product's list price of { $list_price }.
warn-opens-at-once = The start has passed: the sale opens as soon as this is saved.
warn-no-captcha = { $stock } units without a captcha: machines will be faster than people.
warn-no-stock = There is nothing to sell: the stock is 0.
warn-paused = The sale is paused; nobody can buy. Its window goes on.
warn-draft-over = Its window has passed, and it is still a draft.
warn-draft-late = Its start has passed, and it is still a draft.
warn-draft-near = It starts within half an hour, and it is still a draft.
warn-gate-away = The gate does not hold this sale at the moment: shoppers are told that it is being restored. It comes back by itself; if it does not, look at the servers.

show-now = Now
show-left-ledger = Left (ledger)
show-left-gate = Left (gate)
show-reserved = Reserved, being recorded
show-pending = To be paid
show-paid = Paid
show-cancelled = Cancelled orders
show-refused = Refused or lost
show-no-figure = The gate has no figure
show-figures-what = Gate and ledger agree when nothing is on its way. When they differ for longer, the ledger is right and the gate is repaired by itself.
show-gate-empty = The gate does not hold this activity at the moment: it is filled shortly before the start and emptied after the end.
show-steps = What can be done
show-facts = Terms
show-in-shop = In the shop
show-csv = Orders as CSV
show-audit = Who changed what

step-busy = One moment …
step-schedule = Schedule
step-schedule-what = Shoppers see it from now on, and it opens by itself at its start. It does not become a draft again; product, stock and buckets are fixed.
step-schedule-past = Its start has passed: it opens at once.
step-schedule-over = Its window has passed. Edit the window before it can be scheduled.
step-schedule-yes = Yes, schedule it
step-pause = Pause
step-pause-what = Nobody can buy until it is resumed. Orders are safe, the window goes on.
step-resume = Resume
step-resume-what = It goes on as it was.
step-end = End now
step-end-what = The window closes for good; the sale cannot be opened again. Orders can still be paid.
step-end-yes = Yes, end it for good
step-cancel = Cancel the sale
step-cancel-what = It is withdrawn for good; shoppers are told that it was called off. Possible only as long as nobody has an order.
step-cancel-yes = Yes, withdraw it for good
step-clone = Clone
step-clone-what = Makes a draft with the same terms, its window moved ahead.

adjust-title = Change the stock
adjust-what = Exact while the sale runs. Only free units can be taken away, never one that a shopper holds.
adjust-units = Units
adjust-add = Add
adjust-take = Take away

said-created = The draft is made. Shoppers do not see it before it is scheduled.
said-copied = This is a copy of activity #{ $of }, as a draft. Look at its window before you schedule it.
said-saved = Saved. All nodes follow within a second.
said-scheduled = Scheduled. It opens by itself at its start.
said-paused = Paused. Nobody can buy now.
said-resumed = It goes on.
said-ended = Ended. Nobody can buy any more.
said-cancelled = Cancelled. Shoppers are told that it was called off.
said-added = { $changed } units were added. The activity has { $total } now.
said-taken = { $changed } units were free and were taken away. The activity has { $total } now.
said-partly-taken = { $changed } of { $asked } units were taken away: no more were free. The activity has { $total } now.
said-nothing-free = No unit was free, so none was taken away. The activity has { $total }.

trouble-changed = Nothing was done: somebody else changed this activity after you opened the page. This is how it is now; if the step still makes sense, take it again.
trouble-state = Nothing was done: the activity's state has changed, and this step is no longer possible. This is how it is now.
trouble-over = Nothing was done: this activity is over, and nothing about it can change any more.
trouble-not-begun = Nothing was done: the sale has not begun, so there is nothing to end. Pause it, or cancel it.
trouble-has-orders = Nothing was done: somebody holds a unit or has an order, so it cannot be cancelled. Pause it, or end it.
trouble-change-id = Nothing was done: this form was used for another change already. Here is a fresh one.
trouble-busy = Nothing was done: somebody else is changing this activity at this very moment. Try again.
trouble-unsure = A server did not answer in time. What you see here is what counts; if the change is missing, try again.
trouble-start-past = Nothing was done: its start has passed meanwhile. Scheduled now, it opens at once. If that is meant, schedule it again.
trouble-window-over = Nothing was done: its window has passed. Edit the window first.

preview-title = Preview.
preview-what = This is how shoppers will see it. Nothing can be pressed.
preview-back = Back to the console
