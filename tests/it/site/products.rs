//! Products and their pictures, as an admin keeps them and as everybody sees them.

mod pictures;

use seckill::sale::ids::ActivityId;
use seckill::sale::shopper::Role;

use super::{books, is_refusal_page, row, rows};
use crate::harness::{Answer, App, SOON, Sale, Shopper, eventually};

const BOUNDARY: &str = "a-boundary-of-the-tests";

/// A form with a file, as a browser sends it.
#[derive(Clone)]
struct Form {
    fields: Vec<(&'static str, String)>,
    file: Option<(&'static str, Vec<u8>)>,
}

impl Form {
    /// What a good product would send.
    fn product(name: &str) -> Self {
        Self { fields: Vec::new(), file: None }
            .set("name", name)
            .set("description", "Boils water.")
            .set("list_price", "59.99")
    }

    fn set(mut self, field: &'static str, value: &str) -> Self {
        self.fields.retain(|(name, _)| *name != field);
        self.fields.push((field, value.to_owned()));
        self
    }

    fn with_file(self, name: &'static str, content: &[u8]) -> Self {
        Self { file: Some((name, content.to_vec())), ..self }
    }

    fn body(&self, token: Option<&str>) -> Vec<u8> {
        let mut body = Vec::new();
        let mut part = |head: String, content: &[u8]| {
            body.extend(
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n").bytes(),
            );
            body.extend(content);
            body.extend(b"\r\n");
        };
        if let Some(token) = token {
            part("name=\"csrf_token\"".into(), token.as_bytes());
        }
        for (name, value) in &self.fields {
            part(format!("name=\"{name}\""), value.as_bytes());
        }
        // A browser sends the field of a file even when none was chosen.
        let (name, content) = self.file.clone().unwrap_or_default();
        let head = format!("name=\"picture\"; filename=\"{name}\"\r\nContent-Type: image/png");
        part(head, &content);
        body.extend(format!("--{BOUNDARY}--\r\n").bytes());
        body
    }
}

async fn send(who: &Shopper, path: &str, token: Option<&str>, form: &Form) -> Answer {
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    who.browser.post_raw(path, &kind, form.body(token)).await
}

async fn post(who: &Shopper, path: &str, form: &Form) -> Answer {
    let token = who.browser.csrf_token().await;
    send(who, path, Some(&token), form).await
}

async fn admin(app: &App) -> Shopper {
    let (id, name) = app.account(Role::Admin).await;
    Shopper::sign_in(app, id, &name).await
}

/// Makes a product and gives its address.
async fn make(admin: &Shopper, form: &Form) -> String {
    let made = post(admin, "/admin/products/new", form).await;
    assert_eq!(made.status, 303, "{}", made.text);
    made.location.unwrap().split('?').next().unwrap().to_owned()
}

/// The product of a sale, in the console.
fn product_of(app: &App, sale: ActivityId) -> String {
    let query =
        format!("SELECT CAST(product_id AS CHAR) AS text FROM activities WHERE id = {sale}");
    format!("/admin/products/{}", row(app, &query))
}

fn products(app: &App) -> Vec<String> {
    rows(
        app,
        "SELECT CONCAT_WS('|', id, name, description, IFNULL(list_price_cents, '-'), \
         IFNULL(picture, '-'), version, archived_at IS NOT NULL) AS text FROM products ORDER BY id",
    )
}

fn audit(app: &App) -> Vec<String> {
    rows(app, "SELECT CONCAT_WS(' ', actor, action, subject) AS text FROM audit_log ORDER BY id")
}

/// A text as a page writes it.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
    text.replace('"', "&#34;").replace('\'', "&#39;")
}

fn files(app: &App) -> Vec<String> {
    let entries = std::fs::read_dir(app.pictures.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_product_is_made_edited_archived_and_brought_back() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::product("  Kettle 🫖 壶 ").set("description", "one\r\ntwo\r\n");
    let address = make(&admin, &form).await;
    assert_eq!(products(&app), ["1|Kettle 🫖 壶|one\ntwo|5999|-|1|0"]);

    let page = admin.browser.get(&format!("{address}?done=created")).await;
    assert_eq!(page.status, 200);
    for part in ["The product was added.", "value=\"59.99\"", "Kettle 🫖 壶", "one\ntwo</textarea>"]
    {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let form = Form::product("Pot").set("list_price", "").set("version", "1");
    let saved = post(&admin, &address, &form).await;
    assert_eq!(saved.location.as_deref(), Some(format!("{address}?done=saved").as_str()));
    assert_eq!(products(&app), ["1|Pot|Boils water.|-|-|2|0"]);
    // Nothing changed, nothing counted.
    assert_eq!(post(&admin, &address, &form.set("version", "2")).await.status, 303);
    assert_eq!(products(&app), ["1|Pot|Boils water.|-|-|2|0"]);

    let token = admin.browser.csrf_token().await;
    let token = [("csrf_token", token.as_str())];
    for _ in 0..2 {
        assert_eq!(admin.browser.post(&format!("{address}/archive"), &token).await.status, 303);
    }
    assert_eq!(products(&app), ["1|Pot|Boils water.|-|-|3|1"]);
    assert!(!admin.browser.get("/admin/products").await.text.contains(&address));
    assert!(admin.browser.get("/admin/products?archived=yes").await.text.contains(&address));
    assert!(admin.browser.get(&address).await.text.contains("Bring it back"));
    assert_eq!(admin.browser.post(&format!("{address}/restore"), &token).await.status, 303);
    assert!(admin.browser.get("/admin/products").await.text.contains(&address));
    let name = &admin.name;
    let expected = ["create", "edit", "archive", "restore"];
    assert_eq!(audit(&app), expected.map(|deed| format!("{name} product.{deed} product:1")));
    let detail = row(&app, "SELECT detail AS text FROM audit_log WHERE action = 'product.edit'");
    for part in ["\"from\":\"Kettle 🫖 壶\",\"to\":\"Pot\"", "\"from\":\"59.99\",\"to\":\"\""] {
        assert!(detail.contains(part), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_field_refuses_each_bad_value_and_keeps_what_was_typed() {
    let app = App::start().await;
    let admin = admin(&app).await;
    make(&admin, &Form::product("Taken")).await;
    let address = make(&admin, &Form::product("Mine")).await;
    let before = (products(&app), audit(&app));
    let long = "字".repeat(201);
    let novel = "字".repeat(10_001);
    let cases = [
        ("name", "", "1 to 200 characters"),
        ("name", "   ", "1 to 200 characters"),
        ("name", &long, "1 to 200 characters"),
        ("name", "a\u{7}b", "1 to 200 characters"),
        ("name", "Taken", "Another product has this name"),
        ("description", &novel, "At most 10,000 characters"),
        ("description", "a\u{0}b", "At most 10,000 characters"),
        ("list_price", "19,99", "That is not an amount"),
        ("list_price", "1e3", "That is not an amount"),
        ("list_price", " 19", "That is not an amount"),
        ("list_price", "19 ", "That is not an amount"),
        ("list_price", "-1", "That is not an amount"),
        ("list_price", "+1", "That is not an amount"),
        ("list_price", "1.", "That is not an amount"),
        ("list_price", ".5", "That is not an amount"),
        ("list_price", "¥19", "That is not an amount"),
        ("list_price", "１９", "That is not an amount"),
        ("list_price", "<b>", "That is not an amount"),
        ("list_price", "19.999", "At most two digits"),
        ("list_price", "0", "more than 0"),
        ("list_price", "0.00", "more than 0"),
        ("list_price", "100000000", "At most 99999999.99"),
        ("list_price", "99999999999999999999", "At most 99999999.99"),
    ];
    for (field, value, told) in cases {
        for path in ["/admin/products/new", &address] {
            let typed =
                Form::product("Typed name").set("description", "Typed text").set("version", "1");
            let page = post(&admin, path, &typed.set(field, value)).await;
            let case = format!("{path} {field}={value:.20}");
            assert_eq!(page.status, 422, "{case}: {}", page.text);
            let fault = format!("id=\"{field}-fault\" class=\"fault\">");
            let fault =
                page.text.split_once(&fault).unwrap_or_else(|| panic!("{case}: {}", page.text));
            assert!(fault.1.split("</p>").next().unwrap().contains(told), "{case}");
            assert!(page.text.contains(&format!("<a href=\"#{field}\">")), "{case}");
            assert_eq!(page.text.matches("-fault\" class=\"fault\"").count(), 1, "{case}");
            // What was typed is still there, the bad value too.
            for kept in ["Typed name", "Typed text", "59.99", value] {
                let replaced = (field == "name" && kept == "Typed name")
                    || (field == "description" && kept == "Typed text")
                    || (field == "list_price" && kept == "59.99");
                assert!(replaced || page.text.contains(&escaped(kept)), "{case}: {kept}");
            }
        }
    }
    // Several at once, each at its field.
    let all = Form::product("").set("description", "\u{1}").set("list_price", "x");
    let page = post(&admin, "/admin/products/new", &all.with_file("a.png", b"text")).await;
    for field in ["name", "description", "list_price", "picture"] {
        assert!(page.text.contains(&format!("id=\"{field}-fault\"")), "{field}: {}", page.text);
    }
    assert_eq!((products(&app), audit(&app)), before);
    for price in ["19", "19.9", "19.99", "0.01", "99999999.99"] {
        make(&admin, &Form::product(price).set("list_price", price)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_in_a_product_stays_text_on_every_page() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let evil = "\"><script>alert(1)</script>' \u{202e}";
    let sale = app.sale(Sale::of(5)).await;
    let shopper = app.shopper().await;
    let address = product_of(&app, sale);
    let form = Form::product(evil).set("description", evil).set("version", "1");
    assert_eq!(post(&admin, &address, &form).await.status, 303);
    let sale_page = format!("/activities/{sale}");
    eventually("shoppers see the new name", SOON, || async {
        shopper.browser.get(&sale_page).await.text.contains(&escaped(evil)).then_some(())
    })
    .await;
    let order = format!("/orders/{}", shopper.must_buy(sale).await);
    let mut pages = vec![
        admin.browser.get("/admin/products").await,
        admin.browser.get("/admin/products?q=script").await,
        admin.browser.get(&address).await,
    ];
    for path in ["/", &sale_page, &order] {
        pages.push(shopper.browser.get(path).await);
    }
    // A refused form, an overtaken one, and a search for it.
    pages.push(post(&admin, &address, &form.clone().set("list_price", evil)).await);
    pages.push(post(&admin, &address, &form.set("name", "Other").set("version", "1")).await);
    pages
        .push(admin.browser.get("/admin/products?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").await);
    for page in pages {
        assert!(!page.text.contains("<script>alert"), "{}", page.text);
        assert!(page.text.contains("&#60;script&#62;alert(1)"), "{}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_admins_the_second_is_told_what_the_first_saved() {
    let app = App::start().await;
    let (ann, ben) = (admin(&app).await, admin(&app).await);
    let address = make(&ann, &Form::product("Kettle")).await;
    let of_ann = Form::product("Kettle by Ann").set("list_price", "77").set("version", "1");
    let of_ben = Form::product("Kettle by Ben").set("version", "1");
    assert_eq!(post(&ann, &address, &of_ann).await.status, 303);
    let page = post(&ben, &address, &of_ben).await;
    assert_eq!(page.status, 409, "{}", page.text);
    let theirs = page.text.split_once("<dl class=\"theirs\">").expect("a list").1;
    let (theirs, form) = theirs.split_once("</dl>").unwrap();
    assert!(theirs.contains("Kettle by Ann") && theirs.contains("77.00"), "{theirs}");
    // The description is the same for both.
    assert!(!theirs.contains("Boils water."), "{theirs}");
    assert!(form.contains("value=\"Kettle by Ben\"") && form.contains("value=\"59.99\""), "{form}");
    assert!(form.contains("name=\"version\" value=\"2\""), "{form}");
    assert_eq!(products(&app), ["1|Kettle by Ann|Boils water.|7700|-|2|0"]);
    // What the first saved already needs no second saving.
    assert_eq!(post(&ben, &address, &of_ann).await.status, 303);
    assert_eq!(products(&app), ["1|Kettle by Ann|Boils water.|7700|-|2|0"]);
    // He decides: his, all the same.
    assert_eq!(post(&ben, &address, &of_ben.set("version", "2")).await.status, 303);
    assert_eq!(products(&app), ["1|Kettle by Ben|Boils water.|5999|-|3|0"]);
    // Both at the very same moment: one of them.
    let (one, two) =
        (of_ann.clone().set("version", "3"), of_ann.set("name", "x").set("version", "3"));
    let (one, two) = tokio::join!(post(&ann, &address, &one), post(&ben, &address, &two));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 409]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_is_searched_and_read_page_by_page() {
    let app = App::start().await;
    let admin = admin(&app).await;
    for number in 1..=33 {
        make(&admin, &Form::product(&format!("Pot {number}"))).await;
    }
    for name in ["100% Wool", "a_b", "Ümlaut KETTLE"] {
        make(&admin, &Form::product(name)).await;
    }
    let names = |page: &Answer| -> Vec<String> {
        let links = page.text.split("<h2><a href=\"/admin/products/").skip(1);
        let name =
            |link: &str| link.split("<bdi>").nth(1).unwrap().split('<').next().unwrap().to_owned();
        links.map(name).collect()
    };
    let first = admin.browser.get("/admin/products").await;
    assert_eq!(names(&first)[..4], ["Ümlaut KETTLE", "a_b", "100% Wool", "Pot 33"]);
    assert_eq!(names(&first).len(), 30);
    let older = first.text.split("href=\"/admin/products?before=").nth(1).expect("a next page");
    let older = format!("/admin/products?before={}", older.split('"').next().unwrap());
    let second = admin.browser.get(&older).await;
    assert_eq!(names(&second).len(), 6);
    assert_eq!(names(&second)[5], "Pot 1");
    for (query, found) in [
        ("kettle", vec!["Ümlaut KETTLE"]),
        ("%C3%BCML", vec!["Ümlaut KETTLE"]),
        ("%25", vec!["100% Wool"]),
        ("_", vec!["a_b"]),
        ("!", vec![]),
        ("pot+3", vec!["Pot 33", "Pot 32", "Pot 31", "Pot 30", "Pot 3"]),
        ("%27%20OR%201%3D1", vec![]),
    ] {
        let page = admin.browser.get(&format!("/admin/products?q={query}")).await;
        assert_eq!(names(&page), found, "{query}");
    }
    for query in ["before=x", "before=1&before=2", "q=%ff"] {
        let page = admin.browser.get(&format!("/admin/products?{query}")).await;
        is_refusal_page(&page, 400);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_an_admin_comes_near() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let address = make(&admin, &Form::product("Kettle")).await;
    let shopper = app.shopper().await;
    let (id, name) = app.account(Role::Operator).await;
    let operator = Shopper::sign_in(&app, id, &name).await;
    let before = (products(&app), audit(&app));
    for who in [&shopper, &operator] {
        for path in ["/admin/products", "/admin/products/new", &address, "/admin/products/99"] {
            is_refusal_page(&who.browser.get(path).await, 403);
        }
        let png = pictures::png();
        for path in ["/admin/products/new", &address] {
            let form = Form::product("Stolen").set("version", "1").with_file("a.png", &png);
            is_refusal_page(&post(who, path, &form).await, 403);
        }
        let token = who.browser.csrf_token().await;
        for deed in ["archive", "restore"] {
            let path = format!("{address}/{deed}");
            is_refusal_page(&who.browser.post(&path, &[("csrf_token", &token)]).await, 403);
        }
    }
    let nobody = crate::harness::shopper::Browser::new(&app);
    let led = nobody.get("/admin/products").await;
    assert_eq!(led.location.as_deref(), Some("/login?next=%2Fadmin%2Fproducts"));
    assert_eq!((products(&app), audit(&app)), before);
    assert!(files(&app).is_empty());
    // And what is not there is not there, for an admin as well.
    for path in ["/admin/products/99", "/admin/products/0", "/admin/products/x"] {
        is_refusal_page(&admin.browser.get(path).await, 404);
    }
    let form = Form::product("New").set("version", "1");
    is_refusal_page(&post(&admin, "/admin/products/99", &form).await, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_changes_nothing_and_a_form_without_its_token_neither() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let address = make(&admin, &Form::product("Kettle")).await;
    let other = app.shopper().await.browser.csrf_token().await;
    let before = (products(&app), audit(&app), books(&app).await);
    for path in [
        "/admin/products?q=x&archived=yes",
        "/admin/products/new",
        &address,
        &format!("{address}?done=saved"),
        &format!("{address}?name=x&version=1"),
    ] {
        assert_eq!(admin.browser.get(path).await.status, 200, "{path}");
    }
    assert_eq!(admin.browser.get(&format!("{address}/archive")).await.status, 405);
    let own = admin.browser.csrf_token().await;
    let good = Form::product("Changed").set("version", "1").with_file("a.png", &pictures::png());
    for path in ["/admin/products/new", address.as_str()] {
        for token in [None, Some(""), Some("x"), Some(other.as_str())] {
            is_refusal_page(&send(&admin, path, token, &good).await, 403);
        }
        // Its token, but not where the form has it.
        is_refusal_page(
            &send(&admin, path, None, &good.clone().set("csrf_token", &own)).await,
            403,
        );
        is_refusal_page(
            &send(&admin, path, Some(&own), &good.clone().set("csrf_token", &own)).await,
            400,
        );
        let plain = format!("csrf_token={own}&name=x&description=&list_price=&version=1");
        for kind in ["application/x-www-form-urlencoded", "application/json", "text/plain", ""] {
            is_refusal_page(&admin.browser.post_raw(path, kind, plain.clone().into()).await, 415);
        }
    }
    for deed in ["archive", "restore"] {
        let path = format!("{address}/{deed}");
        is_refusal_page(&admin.browser.post(&path, &[]).await, 403);
        is_refusal_page(&admin.browser.post(&path, &[("csrf_token", &other)]).await, 403);
    }
    assert_eq!((products(&app), audit(&app), books(&app).await), before);
    assert!(files(&app).is_empty());
}
