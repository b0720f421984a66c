### The books of sales.

sheet-what = Each unit is left or belongs to an order; both by the ledger and at the gate (left + held). Orders are counted now and then, units at this moment.
sheet-none = There are no sales yet
sheet-older = Older sales
sheet-total = Units
sheet-sold = Sold
sheet-paid = Paid
sheet-unpaid = To be paid
sheet-cancelled = Cancelled
sheet-remain = Left
sheet-gate = At the gate
sheet-underway = On their way
sheet-difference = Difference
sheet-counted = counted
sheet-uncounted = a worker is still to count its orders
sheet-wrong = ledger { $ledger }, gate { $gate }
sheet-draft = Draft
sheet-scheduled = Scheduled
sheet-open = Open
sheet-paused = Paused
sheet-ended = Ended
sheet-settled = Settled
sheet-cancelled-state = Cancelled
