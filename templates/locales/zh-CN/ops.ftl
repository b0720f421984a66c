### 运维页面的框架

ops-nav-label = 运维
ops-orders = 订单
ops-pipeline = 链路
ops-stuck = 滞留
ops-dead-letters = 死信
ops-sales = 销售
ops-reconciliation = 对账
