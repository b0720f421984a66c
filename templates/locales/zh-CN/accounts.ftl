### 管理台的账户

accounts-title = 账户
accounts-search-label = 用户名开头
accounts-search-button = 搜索
accounts-all = 全部
accounts-none = 没有符合条件的账户
accounts-first = 第一页
accounts-next = 下一页
accounts-number = 编号
accounts-role = 角色
accounts-state = 状态
accounts-since = 创建时间
accounts-live = 正常
accounts-disabled = 已停用
accounts-disabled-since = 停用时间

role-shopper = 顾客
role-operator = 运营
role-admin = 管理员

accounts-add = 新建账户
accounts-add-button = 创建账户
accounts-own = 这是你自己的账户。角色和停用由其他管理员操作；修改密码请到：
accounts-role-label = 权限
accounts-role-what = 顾客可以购买；运营还可以查看订单和处理链路；管理员还可以配置活动。更换角色后，对方需要重新登录。
accounts-role-button = 更换角色
accounts-role-missing = 请选择一个角色。
accounts-password-label = 要设置的密码
accounts-password-help = 输入时会直接显示，方便你转告对方。
accounts-password-what = 用于对方无法登录的情况。对方的所有登录都会失效。
accounts-password-button = 设置密码
accounts-sessions = 登录状态
accounts-sessions-what = 两秒之内让该账户在所有浏览器中退出，之后仍可重新登录。
accounts-sessions-button = 让所有登录失效
accounts-disable = 停用账户
accounts-disable-what = 停用后无法登录，已有订单不受影响，以后可以重新启用。
accounts-disable-sure = 该账户会在两秒之内从所有地方退出。
accounts-disable-button = 停用此账户
accounts-enable = 启用账户
accounts-enable-what = 启用后可以用原来的密码重新登录。
accounts-enable-button = 重新启用此账户

accounts-refused-oneself = 不能在这里对自己的账户这样做，请找其他管理员。
accounts-refused-last-admin = 这是最后一位能登录的管理员，请先设置另一位。
accounts-done-add = 账户已创建。
accounts-done-role = 角色已按选择更新。
accounts-done-password = 密码已设置，所有登录均已失效。
accounts-done-disable = 账户已停用。
accounts-done-enable = 账户已启用。
accounts-done-end-sessions = 该账户的所有登录均已失效。
