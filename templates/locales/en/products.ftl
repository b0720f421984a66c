### Products in the console.

products-all = All products
products-which = Which products
products-current = On offer
products-archived = Archived
products-search = Part of a name
products-find = Search
products-none = No products yet
products-none-what = Add the first one; a sale needs a product.
products-none-archived = Nothing is archived
products-not-found = No product has that in its name
products-show-all = Show all of them
products-older = Older products

product-new = New product
product-number = No. { $number }
product-no-price = no list price
product-archived = Archived
product-sell = Plan a sale of it
product-created = The product was added.
product-saved = Saved.
product-was-archived = Archived. Sales that have this product go on; new ones cannot take it.
product-was-restored = Back on offer. New sales can take it again.

product-group-what = What it is
product-name = Name
product-name-help = Up to 200 characters. No other product may have the same name.
product-description = Description
product-description-help = Plain text, up to 10,000 characters. Line breaks are kept.
product-list-price = List price
product-list-price-help = The usual price, shown struck through beside the sale’s. Write it like 19.99, or leave it empty.
product-picture = Picture
product-picture-now = The picture as it is now
product-picture-choose = Choose a picture
product-picture-other = Choose another picture
product-picture-help = PNG, JPEG or WebP, at most 8 MiB, up to 8000 pixels on a side and 40 million in all. Shown 4:3 or wider, cut at the edges. It is redrawn; whatever else the file holds is left out.
product-picture-remove = Remove this picture
product-picture-not-saved = Received, but not saved yet: it is saved together with the rest.
product-empty = empty
product-create = Add the product
product-save = Save
product-save-mine = Save mine all the same
product-back = Back to the list

product-overtaken = Somebody else has saved this product in the meantime
product-overtaken-what = Nothing of yours was saved yet. It still stands in the fields below; this is what is saved now where it differs:
product-take-theirs = Keep theirs and drop mine

product-archive-open = Archive this product
product-archive-what = It can no longer be chosen for new sales. Sales and orders that have it stay as they are. It can be brought back.
product-archive = Archive
product-restore-what = Archived: new sales cannot take this product.
product-restore = Bring it back

product-fault-name = Give it a name of 1 to 200 characters, in one line.
product-fault-name-taken = Another product has this name, perhaps an archived one.
product-fault-description = At most 10,000 characters of plain text.
product-fault-price-form = That is not an amount. Write digits with a point, like 19.99: no comma, no blanks, no sign.
product-fault-price-decimals = At most two digits behind the point; nothing is rounded.
product-fault-price-much = At most 99999999.99.
product-fault-price-zero = A list price is more than 0. Leave it empty if there is none.
picture-fault-format = This file is not a PNG, JPEG or WebP picture, whatever its name says.
picture-fault-damaged = This picture is damaged or incomplete. Save it again, or choose another.
picture-fault-large = Too many pixels: at most 8000 on a side and 40 million in all (16 million for WebP).
picture-fault-heavy = This picture takes too much memory to be read. Save it with 8 bits a channel, or smaller.
picture-fault-progressive = This JPEG is progressive and takes too much memory (more than 100 MB, about 16 million pixels in colour) or has more than 100 scans. Save it without “progressive”, or smaller.
picture-fault-animated = This picture moves. Choose one that stands still.
