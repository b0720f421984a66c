//! Whatever a sale is called, it stays text on every page.

use super::{App, Form, address, admin, fault, input, product, step, step_on, version};
use crate::harness::{Answer, SOON, eventually};

const EVIL: &str = "<script>alert(1)</script>\"'& {{ 7*7 }} </bdi><b onload=x>";

fn is_harmless(page: &Answer, what: &str) {
    assert!(!page.text.contains("<script>alert"), "{what}: {}", page.text);
    assert!(!page.text.contains("<b onload"), "{what}: {}", page.text);
    assert!(!page.text.contains("</script>\""), "{what}: {}", page.text);
}

fn shows(page: &Answer, what: &str) {
    is_harmless(page, what);
    assert!(
        page.text.contains("&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;"),
        "{what} shows the name as it is: {}",
        page.text
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_in_a_name_is_text_on_every_page() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let (other, shopper) = (app.shopper().await, app.shopper().await);
    let form = Form::new(&product(&app, EVIL).await).with("title", EVIL).with("stock", "1");
    let form = form.with("starts_at", "2026-01-01T00:00").with("ends_at", "2099-01-01T00:00");
    let id = form.without("captcha").create(&admin).await;
    let path = address(id);
    let edit = format!("{path}/edit");
    for page in ["", "/edit", "/preview"] {
        shows(&admin.browser.get(&format!("{path}{page}")).await, page);
    }
    shows(&admin.browser.get("/admin/activities").await, "the list");
    shows(&admin.browser.get("/admin/activities?q=%3Cscript").await, "a search");
    let query = url::form_urlencoded::byte_serialize(EVIL.as_bytes()).collect::<String>();
    let searched = admin.browser.get(&format!("/admin/activities?q={query}")).await;
    shows(&searched, "a search for it");

    // In every field of the form, given back.
    let opened = admin.browser.get(&edit).await;
    for field in [
        "product",
        "price",
        "stock",
        "buckets",
        "zone",
        "starts_at",
        "ends_at",
        "rate",
        "total_rate",
        "pay_within",
        "pay_unit",
        "accepted",
        "seen",
    ] {
        let page = Form::of(&opened).with(field, EVIL).send(&admin, &edit).await;
        is_harmless(&page, field);
        assert!(["accepted", "seen"].contains(&field) || page.status == 422, "{field}");
        assert!(page.status != 422 || fault(&page, "title").is_none(), "{field}");
    }
    // Where two collide.
    let opened = admin.browser.get(&edit).await;
    let renamed = Form::of(&opened).with("title", &format!("{EVIL}!")).send(&admin, &edit).await;
    assert_eq!(renamed.status, 303, "{}", renamed.text);
    let told = Form::of(&opened).send(&admin, &edit).await;
    assert_eq!(told.status, 409);
    shows(&told, "what was changed");

    let late = step(&admin, id, "schedule").await;
    shows(&late, "a step that was not taken");
    let knowing = input(&late, "knowing").unwrap();
    let (version, more) = (version(&late), [("knowing", knowing.as_str())]);
    assert_eq!(step_on(&admin, id, "schedule", &version, &more).await.status, 303);
    let sale = format!("/activities/{id}");
    eventually("shoppers see it", SOON, || async {
        (shopper.browser.get(&sale).await.status == 200).then_some(())
    })
    .await;
    shows(&shopper.browser.get("/").await, "the shop");
    shows(&shopper.browser.get(&sale).await, "the sale");
    shows(&shopper.browser.get(&format!("{sale}/purchase")).await, "the purchase");
    let order = shopper.must_buy(id).await;
    shows(&shopper.browser.get(&format!("/orders/{order}")).await, "the order");
    shows(&shopper.browser.get("/orders").await, "the orders");
    shows(&other.browser.get(&format!("{sale}/purchase")).await, "what is sold out");
    is_harmless(&admin.browser.get(&format!("/admin/{query}")).await, "an error");
    assert_eq!(step(&admin, id, "end").await.status, 303);
    shows(&admin.browser.get(&path).await, "the activity");
}
