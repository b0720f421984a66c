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
login-closed = 这个账号已停用。如有疑问，请联系我们。
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
