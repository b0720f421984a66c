### 活动列表与活动页。

sales-title = 限时秒杀
sales-intro = 数量有限，价格实在，准点开抢。倒计时归零时，记得在场。
sales-open = 正在进行
sales-upcoming = 即将开始
sales-ended = 已经结束
sales-none = 暂时没有活动
sales-none-what = 下一场会在这里公布。

state-upcoming = 即将开始
state-open = 正在进行
state-sold-out = 已抢光
state-paused = 暂停中
state-restoring = 请稍候
state-ended = 已结束
state-cancelled = 已取消

starts-in = 距开始
starts-at = 开始时间
ends-in = 距结束
ended-at = 结束于
sale-runs = 活动时间
server-time = 本页生成时的服务器时间：
former-price = 原价

stock-label = 剩余库存百分比
stock-none = 一件不剩
stock-almost-gone = 即将抢光
stock-quarter = 约剩四分之一
stock-half = 约剩一半
stock-plenty = 库存充足
stock-all = 一件都还没卖出

buy-now = 立即抢购
buy-soon = 即将开抢
sign-in-to-buy = 登录后抢购
sign-in-before-start = 先登录，开抢不耽误
one-per-person = 每人限购一件
announce-open = 活动已开始，现在可以抢购。

sold-out-title = 暂时抢光了
sold-out-what = 每一件都已有主。超时未付款的订单会退回来继续卖，过一会儿再看看也许还有机会。
sold-out-try = 再试一次
paused-title = 活动暂停中
paused-what = 很快继续，本页会自动更新；已经下的订单不受影响。
restoring-title = 请稍候片刻
restoring-what = 活动正在恢复，什么都没有丢：订单和名额都还在，本页会自动继续。
ended-title = 这场活动已经结束
called-off-title = 这场活动已取消
called-off-what = 活动在开始前就取消了，没有人下过单。

about-product = 商品介绍
how-title = 抢购说明
how-start = 到点按钮同时向所有人开放。倒计时以我们的时钟为准，你的时钟不准也没关系。
how-picture = 按下按钮，输入图片里的字符。
how-one = 先答对的先得，每人限购一件。有没有抢到，马上知道。
how-pay = 请在 { $duration }内付款。超时未付的订单会取消，名额让给别人。
