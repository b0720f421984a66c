### 销售账目

sheet-what = 每一件不是剩余就是属于某个订单：账本如此，闸门（剩余 + 占用）也如此。订单数定期统计，件数是此刻的。
sheet-none = 还没有活动
sheet-older = 更早的活动
sheet-total = 总数
sheet-sold = 已售
sheet-paid = 已付款
sheet-unpaid = 待付款
sheet-cancelled = 已取消
sheet-remain = 剩余
sheet-gate = 闸门
sheet-underway = 在途
sheet-difference = 差额
sheet-counted = 统计于
sheet-uncounted = 订单尚待后台进程统计
sheet-wrong = 账本 { $ledger }，闸门 { $gate }
sheet-draft = 草稿
sheet-scheduled = 已排期
sheet-open = 进行中
sheet-paused = 已暂停
sheet-ended = 已结束
sheet-settled = 已结算
sheet-cancelled-state = 已取消
