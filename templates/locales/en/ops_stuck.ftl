### What is stuck.

stuck-title = Stuck orders
stuck-what = What stays where it should not. The page looks again every 15 seconds.
stuck-nothing = Nothing is stuck
stuck-gate-away = The gate cannot be asked now, so what it holds is missing here.
stuck-for = for
stuck-of-all = Shown: the first { $shown } of { $all }.
stuck-compared-late = A sale is live, and for more than three minutes gate and ledger have not been compared.
stuck-never-compared = A sale is live, and gate and ledger have not been compared yet.
stuck-skipped = The last reconciliation could not compare every sale.
stuck-to-round = See what it found

stuck-alarms = Found by the reconciler
stuck-alarms-what = What the last reconciliation could not put right. It is told here until a later one finds it in order. As of

stuck-waiting = Reserved for too long
stuck-waiting-what = These units are promised to shoppers, and their orders are not in the ledger yet. In the outbox: no worker runs, or the queue cannot be reached; start a worker, or look at the broker, and they go on by themselves. On the way: no worker records, or the message was lost; sending it again harms nothing, whatever became of the first. As a dead letter: decide about the letter.
stuck-waiting-counts = Where they wait there are in all: { $outbox } in the outbox, { $underway } on the way to the ledger.
stuck-in-outbox = In the outbox
stuck-underway = On the way to the ledger
stuck-dead-letter = Dead letter
stuck-send-button = Send again

stuck-refunds = Payments to refund
stuck-refunds-what = This money pays nothing and is to go back. It is asked for again and again, with longer pauses, until the provider says that it is back. If that fails often, ask the provider.
stuck-tries = tries: { $count }
stuck-next-try = next try
stuck-refund-button = Ask now

stuck-overdue = Unpaid beyond their deadline
stuck-overdue-what = These orders should have ended. Either no worker runs, or the provider does not say whether they are paid; then they end when its time is over. “End now” asks the provider and ends the order unless it is paid; on its page an order can also be cancelled with a reason.
stuck-end-button = End now

stuck-held = Cancelled, but still held at the gate
stuck-held-what = The ledger has freed these units, the gate has not, so nobody can buy them. A worker repeats the release within a minute; “Release now” does not wait for it. If they stay, check that a worker runs and the gate can be reached.
stuck-release-button = Release now

stuck-done-refund = The refund is asked for in a moment.
stuck-done-refunded = The money is back already.
stuck-done-sent = The reservation is in the outbox again and goes on from there. It stays listed until it is recorded.
stuck-done-lately = Nothing was done: this reservation was sent again less than a minute ago and may still arrive.
stuck-done-in-outbox = Nothing was done: the reservation is still in the outbox. It goes on as soon as a worker is back.
stuck-done-arrived = Nothing was to be done: the reservation does not wait any more.
stuck-done-released = The unit is free again.
stuck-done-free = Nothing was to be done: the gate does not hold this unit any more.
stuck-done-holds-unit = Nothing was done: the order has not ended, the unit is its own.
stuck-done-not-held = Nothing was done: the gate does not hold this sale now, or it is being restored.
stuck-done-ended = The order has ended, and its unit is for sale again.
stuck-done-unanswered = Nothing was done: a payment was begun, and the provider does not say what became of it. Try again in a moment, or cancel the order on its page.
stuck-done-not-due = Nothing was done: the deadline has not passed.
stuck-done-overtaken = Nothing was to be done: the order was paid or had ended before.
