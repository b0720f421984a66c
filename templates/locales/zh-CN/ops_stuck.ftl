### 滞留

stuck-title = 滞留的订单
stuck-what = 停在不该停的地方的一切。本页每 15 秒重新查看。
stuck-nothing = 没有滞留
stuck-gate-away = 现在无法询问闸门，这里缺少它的部分。
stuck-for = 已持续
stuck-waiting = 预留过久
stuck-waiting-what = 这些商品已答应给买家，但还没进入队列。可能没有工作进程在运行，或者连不上队列：请启动工作进程，或检查消息服务器。没有丢失任何东西，工作进程恢复后会继续。
stuck-waiting-counts = 发件箱中：{ $outbox }。闸门已占用而账本还没有：{ $underway }。
stuck-refunds = 待退款的付款
stuck-refunds-what = 这些钱没有对应的订单，需要退还。系统会反复请求，间隔逐渐变长，直到支付渠道确认退回。如果多次失败，请联系支付渠道。
stuck-tries = 已尝试 { $count } 次
stuck-next-try = 下次尝试
stuck-refund-button = 立即请求
stuck-done-refund = 马上会请求退款。
stuck-done-refunded = 这笔钱已经退回。
stuck-overdue = 超过付款期限
stuck-overdue-what = 这些订单本该结束。可能没有工作进程在运行，或者支付渠道没有答复是否已付款；等待时间过后它们会自动结束。也可以在订单页取消。
stuck-held = 已取消但闸门仍占用
stuck-held-what = 账本已释放这些商品，但闸门没有，所以没人能买到。工作进程会在一分钟内重新释放；如果一直如此，请检查工作进程是否在运行、闸门能否连上。
