### What is stuck.

stuck-title = Stuck orders
stuck-what = What stays where it should not. The page looks again every 15 seconds.
stuck-nothing = Nothing is stuck
stuck-gate-away = The gate cannot be asked now, so what it holds is missing here.
stuck-for = for
stuck-waiting = Reserved for too long
stuck-waiting-what = These units are promised to shoppers, but not in the queue yet. No worker runs, or the queue cannot be reached: start a worker, or look at the broker. Nothing is lost; they go on as soon as a worker is back.
stuck-waiting-counts = In the outbox: { $outbox }. Held at the gate and not in the ledger: { $underway }.
stuck-refunds = Payments to refund
stuck-refunds-what = This money pays nothing and is to go back. It is asked for again and again, with longer pauses, until the provider says that it is back. If that fails often, ask the provider.
stuck-tries = tries: { $count }
stuck-next-try = next try
stuck-refund-button = Ask now
stuck-done-refund = The refund is asked for in a moment.
stuck-done-refunded = The money is back already.
stuck-overdue = Unpaid beyond their deadline
stuck-overdue-what = These orders should have ended. Either no worker runs, or the provider does not say whether they are paid; then they end when its time is over. They can be cancelled on their page.
stuck-held = Cancelled, but still held at the gate
stuck-held-what = The ledger has freed these units, the gate has not, so nobody can buy them. A worker repeats the release within a minute; if this stays, check that a worker runs and the gate can be reached.
