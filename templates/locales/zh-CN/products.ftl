### 管理台的商品页

products-all = 全部商品
products-which = 显示哪些商品
products-current = 在售
products-archived = 已归档
products-search = 名称包含
products-find = 搜索
products-none = 还没有商品
products-none-what = 先添加一件商品，才能安排活动。
products-none-archived = 没有已归档的商品
products-not-found = 没有名称包含该内容的商品
products-show-all = 显示全部
products-older = 更早的商品

product-new = 新建商品
product-number = 编号 { $number }
product-no-price = 无原价
product-archived = 已归档
product-sell = 为它安排活动
product-created = 商品已添加。
product-saved = 已保存。
product-was-archived = 已归档。已有的活动照常进行，新活动不能再选用它。
product-was-restored = 已恢复，新活动可以再次选用它。

product-group-what = 商品信息
product-name = 名称
product-name-help = 最多 200 个字符，不能与其他商品重名。
product-description = 描述
product-description-help = 纯文本，最多 10,000 个字符，换行会保留。
product-list-price = 原价
product-list-price-help = 平时的价格，会划线显示在活动价旁。请写成 19.99 的形式，也可以留空。
product-picture = 图片
product-picture-now = 当前图片
product-picture-choose = 选择图片
product-picture-other = 换一张图片
product-picture-help = 文件不超过 8 MiB；PNG、JPEG 或 WebP，单边不超过 8000 像素，总计不超过 4000 万像素。以 4:3 或更宽的比例显示，边缘会被裁掉。图片会重新绘制，文件中的其他内容不会保留。
product-picture-remove = 移除这张图片
product-picture-not-saved = 已收到但尚未保存，将与其他内容一起保存。
product-empty = 空
product-create = 添加商品
product-save = 保存
product-save-mine = 仍然保存我的修改
product-back = 返回列表

product-overtaken = 这件商品刚刚被其他人修改过
product-overtaken-what = 您的修改尚未保存，仍保留在下面的表单中。与您的内容不同的已保存内容如下：
product-take-theirs = 保留对方的内容，放弃我的修改

product-archive-open = 归档这件商品
product-archive-what = 归档后新活动不能再选用它，已有的活动和订单不受影响，之后还可以恢复。
product-archive = 归档
product-restore-what = 已归档：新活动不能选用这件商品。
product-restore = 恢复

product-fault-name = 请填写 1 到 200 个字符的名称，不能换行。
product-fault-name-taken = 已有同名商品，可能在已归档的商品中。
product-fault-description = 最多 10,000 个字符的纯文本。
product-fault-price-form = 这不是有效的金额。请用数字和小数点书写，例如 19.99，不要使用逗号、空格或正负号。
product-fault-price-decimals = 小数点后最多两位，系统不会四舍五入。
product-fault-price-much = 最多 99999999.99。
product-fault-price-zero = 原价必须大于 0，没有原价请留空。
picture-fault-format = 无论文件名是什么，这个文件都不是 PNG、JPEG 或 WebP 图片。
picture-fault-damaged = 图片已损坏或不完整，请重新保存或另选一张。
picture-fault-large = 像素过多：单边最多 8000，总计最多 4000 万（WebP 为 1600 万）。
picture-fault-heavy = 读取这张图片需要的内存过多，请保存为每通道 8 位，或缩小尺寸。
picture-fault-progressive = 这是渐进式 JPEG，读取时占用内存过多（超过 100 MB，彩色图片约 1600 万像素）或扫描次数超过 100 次。请关闭“渐进式”后重新保存，或缩小尺寸。
picture-fault-animated = 这是动态图片，请选择静态图片。
