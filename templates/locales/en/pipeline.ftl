### The operators' pipeline: stations, figures, alarms.

pipeline-well = All is well: every figure is within its bounds.
pipeline-urgent = { $count ->
    [one] 1 thing needs you now
   *[other] { $count } things need you now
}
pipeline-can-wait = Nobody is held up; look at this when there is time
pipeline-state-bad = Act now
pipeline-state-warn = Look at it

## Stations
pipeline-admissions = Admissions
pipeline-gate = Gate (Redis)
pipeline-outbox = Outbox
pipeline-queue = Queue (RabbitMQ)
pipeline-recorder = Recorder
pipeline-ledger = Ledger
pipeline-dead-letters = Dead letters
pipeline-reconciliation = Reconciliation

## Figures
pipeline-answers = All answers
pipeline-per-second = Per second, over all nodes.
pipeline-admissions-unknown = Being counted; known in a moment.
pipeline-no-answer = No answer.
pipeline-not-known = Not known now.
pipeline-ops = Commands per second
pipeline-latency = Latency
pipeline-memory = Memory
pipeline-policy = Eviction policy
pipeline-evicted = Keys evicted
pipeline-slow = Slow log
pipeline-entries = Entries
pipeline-oldest = Oldest
pipeline-depth = Messages
pipeline-underway = On their way to the ledger (oldest)
pipeline-consumers = Consumers
pipeline-dead-queue = Dead letters on their way
pipeline-queue-unknown = No worker can tell.
pipeline-workers = Workers
pipeline-recorded = Orders per second
pipeline-lag-half = Lag, p50
pipeline-lag-most = Lag, p99
pipeline-no-orders = No order in the last seconds, so no lag to show.
pipeline-pool-in-use = Connections in use
pipeline-pool-waiting = Calls waiting
pipeline-undecided = Waiting for a decision
pipeline-never-reconciled = None yet.
pipeline-reconciled-ago = Last one, ago
pipeline-differences = Differences
pipeline-repaired = Put right
pipeline-for-a-person = Left for a person

## Processes
pipeline-processes = Processes
pipeline-no-processes = None is heard of.
pipeline-process = Process
pipeline-role = Role
pipeline-role-web = web
pipeline-role-worker = worker
pipeline-role-all = all roles
pipeline-role-other = unknown
pipeline-recorded-total = Orders recorded
pipeline-heard = Heard
pipeline-alive = alive
pipeline-silent = silent for { $seconds } s

## Pictures
pipeline-picture-recorded = Orders recorded per second
pipeline-picture-recorded-label = Orders recorded per second over the last minutes
pipeline-line-recorded = Recorded per second
pipeline-picture-waiting = Waiting between gate and ledger
pipeline-picture-waiting-label = Entries of the outboxes and messages of the queue over the last minutes
pipeline-line-outbox = Outbox
pipeline-line-queue = Queue

## Alarms: what it means, what to do
alarm-gate-away = Redis does not answer. Nobody can buy.
alarm-gate-away-do = See whether the Redis server runs and can be reached from the web nodes, and start it. The keeper fills the gate again by itself; orders in the ledger are safe.
alarm-evicts = Redis may throw keys away when memory is short (policy { $policy }). An evicted key is a lost unit.
alarm-evicts-do = Run CONFIG SET maxmemory-policy noeviction now, and write it into redis.conf.
alarm-evicted = Redis has thrown away { $count } keys for want of memory. Stock or holders of a sale may be among them.
alarm-evicted-do = Give Redis more memory and set noeviction. Compare gate and ledger on the Sales page; the count starts anew when Redis is restarted.
alarm-not-append-only = Redis writes nothing to disk. A restart forgets the sale and every reservation that is not recorded yet.
alarm-not-append-only-do = Run CONFIG SET appendonly yes, and write it into redis.conf.
alarm-writes-fail = Redis cannot write its append-only file. It refuses every purchase, or loses them with a restart.
alarm-writes-fail-do = See whether the disk of the Redis server is full or broken, and make room.
alarm-memory-full = Redis uses { $percent } % of the memory that it may use. When it is full, nobody can buy.
alarm-memory-full-do = Raise maxmemory with CONFIG SET while the machine has memory left.
alarm-gate-slow = Redis takes { $ms } ms to answer. Shoppers wait that much longer at every step.
alarm-gate-slow-do = Look at the server's CPU and network, and at SLOWLOG GET 10 for who keeps it busy. Nothing but Seckill should use this Redis.
alarm-slow-commands = A command kept Redis busy for long within the last minute.
alarm-slow-commands-do = Look at SLOWLOG GET 10. If it is none of Seckill's scripts, find out who else uses this Redis.
alarm-outbox-old = A reservation has waited { $seconds } s for the queue. Its shopper still sees “being placed”.
alarm-outbox-old-do = See whether a worker runs and RabbitMQ answers; look at the worker's log for “the outbox waits”. Nothing is lost meanwhile.
alarm-outbox-full = The fullest outbox is at { $percent } % of its bound. When it is full, shoppers of that sale are told to wait.
alarm-outbox-full-do = Bring RabbitMQ or the workers back, or start more workers; as a last resort, pause the sale.
alarm-queue-away = No worker reaches RabbitMQ. Purchases go on until the outbox is full; no order is placed.
alarm-queue-away-do = See whether RabbitMQ runs, has disk and memory left, and can be reached from the workers. They connect again by themselves.
alarm-queue-long = { $count } messages wait in the queue. Orders are placed late; soon the relay pauses and the outbox fills.
alarm-queue-long-do = Look at lag and connections: if the ledger is slow, help it; else start more workers.
alarm-no-consumer = Nobody takes messages from the queue. No order is placed.
alarm-no-consumer-do = Look at the worker's log: it steps back while the ledger is away. If the ledger answers, restart the worker.
alarm-no-worker = No worker is heard of. Purchases are accepted, but no order is placed, none expires and none is refunded.
alarm-no-worker-do = Start one: “seckill worker”. Everything that waits is then worked off; nothing is lost.
alarm-silent = { $count ->
    [one] 1 process has fallen silent without taking its leave
   *[other] { $count } processes have fallen silent without taking their leave
}: killed, hanging, or cut off from Redis.
alarm-silent-do = See in the list below which, and look at its machine and log. If it was replaced already, there is nothing to do; it leaves the list after five minutes.
alarm-lag-long = One order in a hundred takes { $seconds } s or more from the click to the ledger.
alarm-lag-long-do = Look where it piles up: outbox (RabbitMQ slow), queue (too few workers), or calls waiting (ledger slow).
alarm-underway-old = A reservation left its outbox { $seconds } s ago and is no order yet.
alarm-underway-old-do = If messages wait in the queue, look at the workers. If none does, its message was lost: open Stuck and send it again, or let the reconciler do it after three minutes.
alarm-ledger-away = The ledger does not answer. Purchases go on; orders are placed when it is back, and nobody can pay until then.
alarm-ledger-away-do = See whether MySQL runs, has disk left, and can be reached. Processes connect again by themselves.
alarm-pool-short = { $count } calls of a process wait for a connection to the ledger while all of its connections are in use.
alarm-pool-short-do = Look for slow or locked statements with SHOW PROCESSLIST. If there are none, raise ledger.pool_size or start another process.
alarm-dead-letters = { $count ->
    [one] 1 message could not be read; its shopper waits
   *[other] { $count } messages could not be read; their shoppers wait
} for an order.
alarm-dead-letters-do = Open Dead letters, read the reason, and replay or discard.
alarm-reconcile-alarms = { $count ->
    [one] The last reconciliation found 1 thing
   *[other] The last reconciliation found { $count } things
} that it must not repair by guess.
alarm-reconcile-alarms-do = Open Stuck: each is listed there with what can be done.
alarm-unreconciled = The last reconciliation was { $minutes } minutes ago.
alarm-unreconciled-do = See whether the reconciler runs: “seckill reconcile”.
alarm-never-reconciled = Gate and ledger were never compared: no reconciler has run yet.
alarm-never-reconciled-do = Start one: “seckill reconcile” (“seckill serve” and “seckill up” have it in them).
alarm-uncompared = { $count ->
    [one] 1 sale
   *[other] { $count } sales
} could not be compared at the last reconciliation.
alarm-uncompared-do = Open it to see why. If the gate did not answer, see to Redis first; the next comparison comes by itself.
