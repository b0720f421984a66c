### 对账：闸门与账本的比对

rounds-what = 对账进程每分钟把每场活动在闸门的情况与账本比对，并修正不一致之处。不一致时以账本为准。
rounds-compare-now = 立即对账
rounds-which = 显示哪些
rounds-all = 全部
rounds-found = 有差异的
rounds-none = 还没有
rounds-when = 开始时间
rounds-took = 用时
rounds-compared = 已核对活动
rounds-skipped = 跳过 { $count } 场
rounds-differences = 差异
rounds-repaired = 已修正
rounds-alarms = 须人工处理
rounds-asked-by = 请求人
rounds-dry-run = 只查看
rounds-older = 更早的
rounds-no-reconciler = 似乎没有对账进程在运行。请启动：“seckill reconcile”。

round-title = 第 { $id } 次对账
rounds-awaited = 正在等待对账进程。
round-awaited = 正在等待对账进程。结果会自动显示在这里，需要几秒钟。
round-nothing = 闸门与账本一致
round-dry-run = 没有做任何修正：这次只是查看。
round-skipped = 未核对
round-skipped-what = 这些活动未能核对，下一次会再试。如果一直如此，旁边的文字说明应检查哪台服务器。
round-unnamed = 另有 { $count } 项差异只计了数。
difference-units = 件数：

outcome-found = 已发现
outcome-repaired = 已修正
outcome-gone = 已自行消失
outcome-left = 暂未修正
outcome-alarm = 须人工处理

kind-unfilled = 闸门缺少活动
kind-unfilled-what = 闸门没有（或没有完整地）持有应有的活动。会按账本重新装载；在此之前买家会看到“正在恢复”。
kind-terms = 闸门的设置已过时
kind-terms-what = 闸门里的活动设置比账本旧。会更新为现在的设置。
kind-units = 件数过多或过少
kind-units-what = 闸门得到的件数多于活动总数（+）或少于它（−）。会调平；已售出的不变。
kind-waiting = 已预留，但消息不见了
kind-waiting-what = 已为买家保留一件，而发件箱和队列里都没有它的消息。会以同一订单号重发。
kind-buried = 已预留，消息成了死信
kind-buried-what = 已为买家保留一件，而它的消息无法入账，成了死信。请查看该信，重发或搁置；它留在那里期间，买家一直在等待。
kind-absent = 闸门不知道的订单
kind-absent-what = 账本里有占用一件的订单，而闸门不知道，买家因此可能买到第二件。会把记录补回闸门。
kind-unbarred = 不能再次购买的买家
kind-unbarred-what = 已取消的订单使买家不能再次购买，而闸门不知道。会把记录补回闸门。
kind-unmarked = 已入账，闸门却不知道
kind-unmarked-what = 订单已在账本里，闸门仍以为它在途中。会标记为已入账。
kind-held = 已结束，仍被占用
kind-held-what = 订单已不占名额，而闸门仍为它保留一件，没人能买到。会释放。
kind-unreadable = 无法读取的记录
kind-unreadable-what = 有别的人或程序写了闸门里这场活动的键。请查明谁能访问这台 Redis。然后在该活动的 users 键里删除这位买家的字段：如果其有订单，下一次对账会把订单的记录补回来。
kind-books = 账目不平
kind-books-what = 账本自身的件数对不上：总数不等于剩余加上订单占用。请暂停活动，将账目与审计记录、订单逐一核对，并手工更正账本；系统不会自行修正，因为无从知道哪个数字错了。
