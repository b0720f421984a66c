### 每个页面都有的文字。

brand = Seckill 秒杀
skip-to-content = 跳到正文
nav-label = 主导航
nav-sales = 活动
nav-orders = 我的订单
nav-operations = 运维
nav-console = 管理台
signed-in-as = 当前登录：
sign-in = 登录
sign-out = 退出
language-label = 语言
footer-promise = 每一件只属于一个人。先到先得，以我们的时钟为准。

link-back = 返回该页面
link-sales = 查看全部活动
link-all-sales = 全部活动
link-orders = 我的订单
link-back-to-sale = 返回活动页
link-buy-again = 回活动页再试一次

# $month 为 1 至 12；$clock 形如 20:00。
moment = { $year }年{ $month }月{ $day }日 { $clock }（UTC）
duration-hours = { $count } 小时
duration-minutes = { $count } 分钟
duration-seconds = { $count } 秒
count-days = 天
count-hours = 时
count-minutes = 分
count-seconds = 秒
