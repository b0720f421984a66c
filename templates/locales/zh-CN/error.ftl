### 无法显示的页面。

error-taken-nothing = 没有扣除任何东西，也没有任何改变。
error-taken-unsure = 如果你刚才正在抢购或付款，它可能已经成功。请先到“我的订单”看看，不要急着重复操作。
error-request-id = 联系我们时，请提供：

error-bad-request = 没能看懂这个请求
error-bad-request-what = 请求里缺了点什么，或者格式不对。请返回再试一次。
error-signed-out = 请先登录
error-signed-out-what = 登录之后才能看这一页。
error-forbidden = 这一页不对你开放
error-forbidden-what = 你的账号没有打开它的权限。
error-stale-form = 刚才的页面太旧了
error-stale-form-what = 它是在你登录之前或很久以前打开的，所以没有处理。请重新打开页面，再操作一次。
error-not-found = 这里什么也没有
error-not-found-what = 地址不对，或者原来的内容已经不在了。
error-method-not-allowed = 不能这样访问
error-method-not-allowed-what = 这个地址不支持这种访问方式，请使用页面上的按钮。
error-conflict = 情况已经变了
error-conflict-what = 在这期间有了变化。请重新打开页面，看看现在的状态。
error-too-slow = 发送时间过长
error-too-slow-what = 你的网络太慢，表单没有及时送达。请再试一次。
error-too-large = 内容太大
error-too-large-what = 你发送的内容超过了这里能接收的大小。
error-unsupported-media = 不支持这种格式
error-unsupported-media-what = 请使用页面上的表单。
error-too-many = 点得有点快
error-too-many-what = 短时间内收到了你太多请求。稍等片刻再继续。
error-internal = 我们这边出错了
error-internal-what = 是我们的问题，不是你的，我们已经记下。
error-unavailable = 暂时无法响应
error-unavailable-what = 商店此刻无法回应，请过几秒再试。
error-sign-out = 只在此浏览器中退出了
error-sign-out-what = 暂时无法写入我们的记录，因此不能保证这次登录在所有地方都已失效。如果担心有人拿到了它的副本，请稍后重新登录，在账号页选择“在所有设备上退出”。无论如何，它最多 12 小时后自动失效。
error-taken-sign-out = 没有购买任何东西，也没有付款。
error-ops-unavailable = 此页面所需的某个服务器没有应答。“链路”页面不依赖它们：它会指出是哪一个，以及该怎么办。
