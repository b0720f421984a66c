### Comparisons of gate and ledger.

rounds-what = Every minute the reconciler compares each sale at the gate with the ledger, and puts right what differs. When they differ, the ledger is right.
rounds-compare-now = Compare now
rounds-which = Which ones
rounds-all = All
rounds-found = With differences
rounds-none = None yet
rounds-when = Begun
rounds-took = Took
rounds-compared = Sales compared
rounds-skipped = skipped: { $count }
rounds-differences = Differences
rounds-repaired = Put right
rounds-alarms = For a person
rounds-asked-by = Asked for by
rounds-dry-run = Only looked
rounds-older = Earlier ones
rounds-no-reconciler = It seems that no reconciler runs. Start one: “seckill reconcile”.

round-title = Reconciliation #{ $id }
rounds-awaited = waits for a reconciler.
round-awaited = Waits for a reconciler. What it finds appears here by itself; that takes some seconds.
round-nothing = Gate and ledger agree
round-dry-run = Nothing was to be put right: somebody only wanted to know.
round-skipped = Not compared
round-skipped-what = These sales could not be compared; the next round tries again. If one stays here, the sentence beside it says which server to look after.
round-unnamed = Differences that are only counted: { $count }.
difference-units = units:

outcome-found = Found
outcome-repaired = Put right
outcome-gone = Gone by itself
outcome-left = Left for now
outcome-alarm = For a person

kind-unfilled = The gate lacks the sale
kind-unfilled-what = The gate did not hold a sale that it should hold, or not whole. It is filled from the ledger; until then shoppers are told that the sale is being restored.
kind-terms = Old terms at the gate
kind-terms-what = The gate had an older configuration of the sale than the ledger. It gets the present one.
kind-units = Units too many or too few
kind-units-what = The gate was given more units than the sale has (+), or fewer (−). They are levelled; what is sold stays sold.
kind-waiting = Reserved, and no message
kind-waiting-what = A unit is held for a shopper, and neither outbox nor queue has its message any more. It is sent again, under the same number.
kind-buried = Reserved, and a dead letter
kind-buried-what = A unit is held for a shopper, and its message lies with the dead letters: it could not be recorded. Look at the letter and send it again, or put it away; while it lies there the shopper waits.
kind-absent = An order that the gate does not know
kind-absent-what = The ledger has an order that holds a unit, and the gate did not know it, so its shopper could have bought twice. The gate gets the entry back.
kind-unbarred = A shopper who may not buy again
kind-unbarred-what = A cancelled order bars its shopper from buying again, and the gate did not know. It gets the entry back.
kind-unmarked = Recorded, and the gate does not know
kind-unmarked-what = The order is in the ledger, and the gate still took it for on its way. It is marked.
kind-held = Ended, but still held
kind-held-what = The order holds no unit any more, and the gate still kept one for it, so nobody could buy it. It is released.
kind-unreadable = An entry that cannot be read
kind-unreadable-what = Somebody or something else wrote into a sale’s keys at the gate. Find out who has access to this Redis. Then delete this shopper’s field from the sale’s “users” there: if they have an order, the next reconciliation brings its entry back.
kind-books = Books that do not balance
kind-books-what = The ledger’s own units do not add up: the total is not what is left plus what orders hold. Pause the sale, compare its books with the audit and the orders, and correct the ledger by hand; nothing repairs this by itself, since nobody can know which figure is wrong.
