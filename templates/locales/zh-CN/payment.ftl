### 支付：沙箱页面，以及订单页面上关于款项的说明

sandbox-title = 沙箱支付
sandbox-what = 此页面代替银行，不会真正扣款。
sandbox-amount = 应付
sandbox-telling = 如何通知商店
sandbox-once = 立即通知
sandbox-twice = 通知两次（网络常会如此）
sandbox-late = 20 秒后才通知
sandbox-never = 不通知，由商店来查询
sandbox-decline = 拒绝支付
sandbox-decided = 这笔支付已有结果，无需再操作。
sandbox-back = 返回商店

money-begun = 支付已发起。如果您已付款，我们一收到通知就会在此页面告诉您，请勿重复支付。
money-failed = 上一次支付未成功，没有扣款；在剩余时间内您可以再次支付。
money-goes-back = 我们收到了 { $amount } 的付款，但此订单已无法接受。款项将退还给您，您无需任何操作。
money-is-back = 此订单无法接受的 { $amount } 付款已退还给您。
