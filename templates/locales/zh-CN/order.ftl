### 订单页与订单列表。

orders-title = 我的订单
orders-none = 还没有订单
orders-none-what = 抢到之后，订单会出现在这里。
orders-older = 更早的订单

order-label-reserved = 已预留
order-label-checking = 确认中
order-label-pending-payment = 待付款
order-label-paid = 已付款
order-label-cancelled = 已取消
order-label-rejected = 未成功
order-label-lost = 未成功

order-reserved = 抢到了！正在生成订单
order-reserved-what = 已为你留住一件，订单正在生成，本页会自动更新。
order-checking = 正在确认你的订单
order-checking-what = 现在还看不到你有没有抢到。不用做什么，也不用再抢一次，一有结果本页会自动更新。
order-pending-payment = 下单成功
order-pending-payment-what = 下面的时间之内，这件一直为你留着。付款之后，就是你的了。
order-paid = 付款成功，谢谢！
order-paid-what = 这件已经是你的了。
order-cancelled = 订单已取消
order-cancelled-by-shopper = 你取消了这笔订单，不用付款，商品已退回继续出售。
order-cancelled-not-paid = 超时未付款，商品已退回继续出售，你不用付款。
order-cancelled-by-staff = 我们取消了这笔订单，你不用付款。
order-rejected = 订单没有生成
order-rejected-sold-out = 虽然曾为你预留，但生成订单时已经没有库存了，非常抱歉。没有扣款，你也不用付款。
order-rejected-already-held = 你在本场已有一笔订单，每人限购一件。那笔订单仍然有效，没有多扣任何东西。
order-rejected-barred = 你在本场取消过订单，所以不能再次下单。没有扣款，你也不用付款。
order-lost = 这次抢购丢失了
order-lost-what = 由于我们的故障，订单还没生成就丢失了。没有占用名额，没有扣款，你可以再抢一次。非常抱歉。

steps-label = 进度
step-reserved = 已预留
step-placed = 已下单
step-paid = 已付款

pay-within = 剩余付款时间
pay-before = 请在此之前付款：
pay-button = 付款 { $amount }
pay-sending = 正在付款……
cancel-summary = 取消订单
cancel-what = 商品会退回继续出售。活动结束前，你还可以再抢。
cancel-what-final = 商品会退回继续出售，而且你在本场不能再抢。
cancel-button = 确认取消订单

order-amount = 价格
order-state = 状态
order-made-at = 抢购时间
order-paid-at = 付款时间
order-cancelled-at = 取消时间
order-number = 订单号

order-notice-being-placed = 订单还在生成，稍后就可以付款或取消。
order-notice-has-changed = 订单状态刚刚有变化，所以这次没有操作。下面是现在的状态。
order-notice-payment-unavailable = 付款没能开始，没有扣款，请稍后再试。

history-title = 订单经过
history-placed = 订单已生成
history-paid = 已付款
history-cancelled-by-shopper = 你取消了订单
history-cancelled-not-paid = 超时未付款，已取消
history-cancelled-by-staff = 我们取消了订单
history-rejected = 订单没有生成
history-lost = 由于我们的故障，这次抢购丢失了
