### 登录与注册。

username-label = 用户名
password-label = 密码

login-title = 登录
login-button = 登录
login-sending = 请稍候……
login-no-account = 第一次来？
login-to-register = 注册账号
login-missing = 请输入用户名和密码。
login-wrong = 用户名或密码不对。
login-closed = 该账号已停用。
login-too-many-tries = 尝试次数太多，请过几分钟再试。
login-busy = 现在登录的人很多，请过几秒再试。

register-title = 注册账号
register-button = 注册
register-have-account = 已有账号？
register-to-login = 去登录
register-busy = 现在注册的人很多，这次没有保存，请过几秒再试。
register-username-hint = 我们怎么称呼你，什么文字都可以。
register-username-missing = 请起一个用户名。
register-username-short = 用户名至少 { $min } 个字符。
register-username-long = 用户名最多 { $max } 个字符。
register-username-characters = 用户名里有不能使用的字符。
register-username-taken = 这个用户名已有人用，换一个吧。
register-password-hint = 至少 { $min } 个字符。几个词连在一起，比怪符号好记。
register-password-missing = 请设置密码。
register-password-short = 密码至少 { $min } 个字符。
register-password-long = 密码最多 { $max } 个字符。

account-title = 你的账号
account-link = 你的账号
account-password-title = 修改密码
account-password-what = 你在这里仍保持登录，其他地方都需要重新登录。
account-password-button = 修改密码
account-password-done = 密码已修改，你的账号在其他地方的登录均已失效。
account-current-label = 当前密码
account-current-missing = 请输入当前密码。
account-current-wrong = 当前密码不对。
account-new-label = 新密码
account-again-label = 再次输入新密码
account-again-differs = 与上面的新密码不一致。
account-everywhere-title = 在所有设备上退出
account-everywhere-what = 让你的账号在所有地方的登录失效，包括此浏览器。如果曾忘记退出登录，可以用它。
account-everywhere-button = 在所有设备上退出
