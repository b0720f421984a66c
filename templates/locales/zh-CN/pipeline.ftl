### 运维的链路页：各站、数字、告警。

pipeline-well = 一切正常：所有数字都在界限之内。
pipeline-urgent = 有 { $count } 件事需要您马上处理
pipeline-can-wait = 没有人受影响；有空时请看一下
pipeline-state-bad = 马上处理
pipeline-state-warn = 留意

## 各站
pipeline-admissions = 抢购应答
pipeline-gate = 闸门（Redis）
pipeline-outbox = 发件箱
pipeline-queue = 队列（RabbitMQ）
pipeline-recorder = 记账
pipeline-ledger = 账本
pipeline-dead-letters = 死信
pipeline-reconciliation = 对账

## 数字
pipeline-answers = 全部应答
pipeline-per-second = 每秒，所有节点合计。
pipeline-admissions-unknown = 正在统计，稍后即知。
pipeline-no-answer = 没有应答。
pipeline-not-known = 目前不知。
pipeline-ops = 每秒命令数
pipeline-latency = 延迟
pipeline-memory = 内存
pipeline-policy = 淘汰策略
pipeline-evicted = 已淘汰的键
pipeline-slow = 慢日志
pipeline-entries = 条目
pipeline-oldest = 最早一条
pipeline-depth = 消息
pipeline-underway = 在途入账（最久）
pipeline-consumers = 消费者
pipeline-dead-queue = 途中的死信
pipeline-queue-unknown = 没有工作进程能告知。
pipeline-workers = 工作进程
pipeline-recorded = 每秒订单
pipeline-lag-half = 落账时延 p50
pipeline-lag-most = 落账时延 p99
pipeline-no-orders = 最近几秒没有订单，故无时延可示。
pipeline-pool-in-use = 使用中的连接
pipeline-pool-waiting = 等待的调用
pipeline-undecided = 等待决定
pipeline-never-reconciled = 尚未进行。
pipeline-reconciled-ago = 距上次
pipeline-differences = 差异
pipeline-repaired = 已修复
pipeline-for-a-person = 须人工处理

## 进程
pipeline-processes = 进程
pipeline-no-processes = 收不到任何进程的心跳。
pipeline-process = 进程
pipeline-role = 角色
pipeline-role-web = 网站
pipeline-role-worker = 工作进程
pipeline-role-all = 全部角色
pipeline-role-other = 未知
pipeline-recorded-total = 已记订单
pipeline-heard = 心跳
pipeline-alive = 正常
pipeline-silent = 已沉默 { $seconds } 秒

## 图
pipeline-picture-recorded = 每秒落账的订单
pipeline-picture-recorded-label = 最近几分钟每秒落账的订单数
pipeline-line-recorded = 每秒落账
pipeline-picture-waiting = 闸门与账本之间的等待
pipeline-picture-waiting-label = 最近几分钟发件箱条目数与队列消息数
pipeline-line-outbox = 发件箱
pipeline-line-queue = 队列

## 告警：意味着什么，该做什么
alarm-gate-away = Redis 没有应答，谁也无法抢购。
alarm-gate-away-do = 请查看 Redis 服务器是否在运行、网站节点能否连上，并将其启动。闸门会自动重新装填；账本里的订单是安全的。
alarm-evicts = 内存不足时 Redis 可能丢弃键（策略 { $policy }）。丢一个键就是丢一件库存。
alarm-evicts-do = 立即执行 CONFIG SET maxmemory-policy noeviction，并写入 redis.conf。
alarm-evicted = Redis 因内存不足已丢弃 { $count } 个键，其中可能有活动的库存或持有人。
alarm-evicted-do = 请增加 Redis 内存并设为 noeviction，再到“销售”页比对闸门与账本；Redis 重启后此数重新计起。
alarm-not-append-only = Redis 没有写盘。一旦重启，活动以及尚未落账的预留都会丢失。
alarm-not-append-only-do = 执行 CONFIG SET appendonly yes，并写入 redis.conf。
alarm-writes-fail = Redis 无法写入追加文件：它会拒绝所有抢购，或在重启时丢失它们。
alarm-writes-fail-do = 请查看 Redis 服务器的磁盘是否已满或损坏，并腾出空间。
alarm-memory-full = Redis 已用去可用内存的 { $percent } %。用满之后谁也无法抢购。
alarm-memory-full-do = 趁机器还有内存，用 CONFIG SET 调高 maxmemory。
alarm-gate-slow = Redis 应答需要 { $ms } 毫秒，买家的每一步都要多等这么久。
alarm-gate-slow-do = 请查看服务器的 CPU 与网络，用 SLOWLOG GET 10 看是谁占用了它。此 Redis 只应供 Seckill 使用。
alarm-slow-commands = 最近一分钟内有命令长时间占用了 Redis。
alarm-slow-commands-do = 请查看 SLOWLOG GET 10。若不是 Seckill 的脚本，请查明还有谁在用这个 Redis。
alarm-outbox-old = 有预留已等待队列 { $seconds } 秒，其买家看到的仍是“正在下单”。
alarm-outbox-old-do = 请查看工作进程是否在运行、RabbitMQ 是否应答，并在工作进程日志中查找“the outbox waits”。其间不会丢失任何东西。
alarm-outbox-full = 最满的发件箱已达上限的 { $percent } %。满了之后，该活动的买家会被要求等待。
alarm-outbox-full-do = 请恢复 RabbitMQ 或工作进程，或多启动几个工作进程；万不得已时暂停活动。
alarm-queue-away = 没有工作进程能连上 RabbitMQ。抢购可继续到发件箱满为止，但不会有订单落账。
alarm-queue-away-do = 请查看 RabbitMQ 是否在运行、磁盘和内存是否充足、工作进程能否连上。它们会自动重连。
alarm-queue-long = 队列中有 { $count } 条消息在等待。订单落账变慢；再久，中继将暂停，发件箱随之填满。
alarm-queue-long-do = 请看时延和连接：若账本慢，先解决账本；否则多启动几个工作进程。
alarm-no-consumer = 没有人从队列取消息，不会有订单落账。
alarm-no-consumer-do = 请看工作进程日志：账本不在时它会退后等待。若账本有应答，请重启工作进程。
alarm-no-worker = 收不到任何工作进程的心跳。抢购仍被接受，但没有订单落账、过期或退款。
alarm-no-worker-do = 请启动一个：“seckill worker”。所有等待的都会随即处理，不会丢失。
alarm-silent = 有 { $count } 个进程不辞而别：被杀、卡死，或与 Redis 断开。
alarm-silent-do = 请在下表查看是哪一个，再看其机器与日志。若已有替代则无须处理；五分钟后它会从表中消失。
alarm-lag-long = 每一百个订单中有一个从点击到落账需要 { $seconds } 秒或更久。
alarm-lag-long-do = 请看积在哪里：发件箱（RabbitMQ 慢）、队列（工作进程太少），还是等待的调用（账本慢）。
alarm-underway-old = 有预留在 { $seconds } 秒前离开发件箱，至今还不是订单。
alarm-underway-old-do = 如果队列里有消息在等，请查看工作进程。如果没有，说明它的消息丢失了：请打开“滞留”重新发送，或者等三分钟后由对账进程处理。
alarm-ledger-away = 账本没有应答。抢购继续；账本恢复后订单才落账，其间无法付款。
alarm-ledger-away-do = 请查看 MySQL 是否在运行、磁盘是否充足、能否连上。各进程会自动重连。
alarm-pool-short = 某进程有 { $count } 个调用在等待账本连接，而其所有连接都在使用。
alarm-pool-short-do = 用 SHOW PROCESSLIST 查找慢语句或锁等待。若没有，请调高 ledger.pool_size 或再启动一个进程。
alarm-dead-letters = 有 { $count } 条消息无法读取，其买家在等待订单。
alarm-dead-letters-do = 请打开“死信”，阅读原因，然后重放或丢弃。
alarm-reconcile-alarms = 上次对账发现 { $count } 件不可凭猜测修复的事。
alarm-reconcile-alarms-do = 请打开“滞留”：每一件都列在那里，并注明可以怎么做。
alarm-unreconciled = 距上次对账已有 { $minutes } 分钟。
alarm-unreconciled-do = 请查看对账进程是否在运行：“seckill reconcile”。
alarm-never-reconciled = 闸门与账本从未核对过：还没有对账进程运行。
alarm-never-reconciled-do = 请启动一个：“seckill reconcile”（“seckill serve” 与 “seckill up” 已包含它）。
alarm-uncompared = 上次对账有 { $count } 个活动未能核对。
alarm-uncompared-do = 请打开查看原因。如果是闸门没有应答，请先处理 Redis；下一次核对会自动进行。
