### 滞留

stuck-title = 滞留的订单
stuck-what = 停在不该停的地方的一切。本页每 15 秒重新查看。
stuck-nothing = 没有滞留
stuck-gate-away = 现在无法询问闸门，这里缺少它的部分。
stuck-for = 已持续
stuck-of-all = 共 { $all } 项，显示前 { $shown } 项。
stuck-compared-late = 有活动在进行，而闸门与账本已有三分钟以上没有对账。
stuck-never-compared = 有活动在进行，而闸门与账本尚未对过账。
stuck-skipped = 上次对账未能核对全部活动。
stuck-to-round = 查看结果

stuck-alarms = 对账发现的问题
stuck-alarms-what = 上次对账未能修正的问题；之后的对账确认正常后，就不再列在这里。对账时间：

stuck-waiting = 预留过久
stuck-waiting-what = 这些商品已答应给买家，但账本里还没有订单。“在发件箱”：没有工作进程在运行，或者连不上队列；请启动工作进程或检查消息服务器，之后会自动继续。“在去账本的路上”：没有工作进程记账，或者消息丢失；重发不会有任何坏处，无论上一条结果如何。“死信”：请对该信作出决定。
stuck-waiting-counts = 它们所在之处总共有：发件箱 { $outbox } 条，在去账本的路上 { $underway } 条。
stuck-in-outbox = 在发件箱
stuck-underway = 在去账本的路上
stuck-dead-letter = 死信
stuck-send-button = 重发

stuck-refunds = 待退款的付款
stuck-refunds-what = 这些钱没有对应的订单，需要退还。系统会反复请求，间隔逐渐变长，直到支付渠道确认退回。如果多次失败，请联系支付渠道。
stuck-tries = 已尝试 { $count } 次
stuck-next-try = 下次尝试
stuck-refund-button = 立即请求

stuck-overdue = 超过付款期限
stuck-overdue-what = 这些订单本该结束。可能没有工作进程在运行，或者支付渠道没有答复是否已付款；等待时间过后它们会自动结束。“立即结束”会询问支付渠道，若未付款则结束订单；也可以在订单页注明原因后取消。
stuck-end-button = 立即结束

stuck-held = 已取消但闸门仍占用
stuck-held-what = 账本已释放这些商品，但闸门没有，所以没人能买到。工作进程会在一分钟内重新释放；“立即释放”则无须等待。如果一直如此，请检查工作进程是否在运行、闸门能否连上。
stuck-release-button = 立即释放

stuck-done-refund = 马上会请求退款。
stuck-done-refunded = 这笔钱已经退回。
stuck-done-sent = 预留已重新放入发件箱，将从那里继续。入账之前仍会列在这里。
stuck-done-lately = 没有操作：这条预留不到一分钟前刚重发过，可能还会到达。
stuck-done-in-outbox = 没有操作：这条预留还在发件箱里，工作进程恢复后会继续。
stuck-done-arrived = 无需操作：这条预留已不再等待。
stuck-done-released = 商品已释放。
stuck-done-free = 无需操作：闸门已不再占用这件商品。
stuck-done-holds-unit = 没有操作：订单尚未结束，商品属于它。
stuck-done-not-held = 没有操作：闸门现在没有这场活动，或正在恢复。
stuck-done-ended = 订单已结束，商品重新可售。
stuck-done-unanswered = 没有操作：付款已开始，而支付渠道没有答复结果。请稍后再试，或在订单页取消。
stuck-done-not-due = 没有操作：还没到付款期限。
stuck-done-overtaken = 无需操作：订单此前已付款或已结束。
