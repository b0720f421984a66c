### 管理台的框架

console-nav-label = 管理台
console-activities = 活动
console-products = 商品
console-accounts = 账户
console-audit = 审计
console-faults = 尚未保存，请检查以下各项：
