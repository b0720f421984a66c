//! The form: every bad value is refused at its field, and what was typed stays.

use super::{App, Form, address, admin, books, fault, input, plain, product, row, selected};
use crate::harness::Sale;

/// Each field with values that it cannot hold, and how its fault begins.
fn bad_values() -> Vec<(&'static str, Vec<String>, &'static str)> {
    let huge = format!("1{}", "0".repeat(30));
    let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let number = |more: &[&str]| {
        let mut values = list(&["", "ten", "1e3", "-1", "1.5", "1,000", "+5", "٣", "0x10"]);
        values.push(huge.clone());
        values.extend(list(more));
        values
    };
    vec![
        ("product", list(&["", "0", "-1", "999999", "Kettle", "1e3"]), "Product:"),
        ("title", vec![String::new(), "  ".into(), "a\0b".into(), "字".repeat(201)], "Title:"),
        (
            "price",
            list(&[
                "",
                "free",
                "19,99",
                "1e3",
                "-1",
                "19.999",
                "¥19.99",
                "0",
                "0.00",
                "1 000",
                ".5",
                "100000000",
                &huge,
            ]),
            "Price:",
        ),
        ("stock", number(&["100000001"]), "Stock:"),
        ("buckets", number(&["0", "2", "65537"]), "Buckets:"),
        ("zone", list(&["", "Mars/Olympus", "CEST", "europe/berlin"]), "Time zone:"),
        (
            "starts_at",
            list(&["soon", "2026-13-01T10:00", "12", &huge]),
            "Start: not a date and time",
        ),
        ("starts_at", list(&[""]), "Start: the time is missing"),
        ("starts_at", list(&["1960-01-01T00:00"]), "Start:"),
        ("ends_at", list(&["later", "2026-02-30T10:00"]), "End: not a date and time"),
        ("ends_at", list(&[""]), "End: the time is missing"),
        ("ends_at", list(&["2020-01-01T00:00", "9999-01-01T00:00"]), "End:"),
        ("rate", number(&["0", "1001"]), "Requests of one shopper:"),
        ("pay_within", number(&["0", "44640"]), "Time to pay:"),
        ("pay_unit", list(&["", "weeks"]), "Time to pay:"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_field_refuses_what_it_cannot_hold_by_name_and_keeps_what_was_typed() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let good = Form::new(&product(&app, "Kettle").await);
    let draft = good.create(&admin).await;
    let edit = format!("{}/edit", address(draft));
    let opened = admin.browser.get(&edit).await;
    let before = books(&app).await;

    let mut bad = bad_values();
    let totals = ["0", "1000001", "many", "1e3", "-1"].map(ToOwned::to_owned).to_vec();
    bad.push(("total_rate", totals, "Attempts of all shoppers:"));
    for (field, values, begins) in bad {
        for value in values {
            for (path, form) in
                [("/admin/activities/new", good.clone()), (edit.as_str(), Form::of(&opened))]
            {
                let page = form.clone().with(field, &value).send(&admin, path).await;
                assert_eq!(page.status, 422, "{field}={value:?}: {}", page.text);
                let at = if field == "pay_unit" { "pay_within" } else { field };
                let fault = fault(&page, at).unwrap_or_default();
                assert!(fault.starts_with(begins), "{field}={value:?}: {fault:?}");
                // Above the form as well, with the way to the field.
                assert!(
                    page.text.contains(&format!("<li><a href=\"#{at}\">")),
                    "{field}={value:?}"
                );
                if let Some(kept) = input(&page, field) {
                    assert_eq!(kept, value, "{field}");
                }
                for (name, typed) in form.0.iter().filter(|(name, _)| *name != field) {
                    let kept = input(&page, name).or_else(|| selected(&page, name));
                    if let Some(kept) = kept {
                        assert_eq!(&kept, typed, "{name} beside {field}={value:?}");
                    }
                }
            }
        }
    }
    // All at once, each at its own.
    let page = Form(vec![("title", String::new())]).send(&admin, "/admin/activities/new").await;
    assert_eq!(page.status, 422);
    for field in ["product", "title", "price", "stock", "buckets", "zone", "rate", "pay_within"] {
        assert!(fault(&page, field).is_some(), "{field}: {}", page.text);
    }
    assert_eq!(books(&app).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_typed_is_what_is_kept() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::new(&product(&app, "Kettle").await)
        .with("title", "  Nacht der Kessel  ")
        .with("price", "19.9")
        .with("stock", "0")
        .with("zone", "America/New_York")
        .with("starts_at", "2038-12-24T20:00:07")
        .with("ends_at", "2038-12-24T21:00")
        .with("total_rate", "250")
        .with("pay_within", "2")
        .with("pay_unit", "h")
        .without("captcha")
        .without("rebuy");
    let id = form.create(&admin).await;
    let kept = row(
        &app,
        &format!(
            "SELECT CONCAT_WS('|', title, price_cents, total_stock, starts_at, ends_at, captcha, rebuy, \
             pay_within_s, rate_per_s, total_rate_per_s) AS text FROM activities WHERE id = {id}"
        ),
    );
    assert_eq!(
        kept,
        "Nacht der Kessel|1990|0|2038-12-25 01:00:07.000|2038-12-25 02:00:00.000|0|0|7200|5|250"
    );
    // The zone is remembered, and the page is written in it.
    let page = admin.browser.get(&address(id)).await;
    assert!(page.text.contains("24 Dec 2038, 20:00:07 EST (UTC-05:00)"), "{}", page.text);
    assert!(page.text.contains("<b>America/New_York</b>"));
    assert!(!page.text.contains("data-asks-zone"));
    let again = admin.browser.get(&format!("{}/edit", address(id))).await;
    assert_eq!(input(&again, "starts_at").as_deref(), Some("2038-12-24T20:00:07"));
    assert_eq!(selected(&again, "zone").as_deref(), Some("America/New_York"));
    assert_eq!(selected(&again, "pay_unit").as_deref(), Some("h"));
    // Sent as it came, it changes nothing.
    assert_eq!(Form::of(&again).send(&admin, &format!("{}/edit", address(id))).await.status, 303);
    let after = row(
        &app,
        &format!("SELECT CONCAT(starts_at, ends_at) AS text FROM activities WHERE id = {id}"),
    );
    assert_eq!(after, "2038-12-25 01:00:07.0002038-12-25 02:00:00.000");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_that_clocks_never_show_or_show_twice_is_settled_with_the_admin() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::new(&product(&app, "Kettle").await).with("zone", "Europe/Berlin");
    let new = "/admin/activities/new";

    let gap =
        form.clone().with("starts_at", "2037-03-29T02:30").with("ends_at", "2037-03-30T02:30");
    let page = gap.send(&admin, new).await;
    assert_eq!(page.status, 422);
    assert_eq!(
        fault(&page, "starts_at").as_deref(),
        Some(
            "Start: on 29 Mar 2037 clocks in Europe/Berlin go from 02:00 to 03:00; 02:30 does not exist. \
             Choose a time before or after."
        )
    );
    assert_eq!(input(&page, "starts_at").as_deref(), Some("2037-03-29T02:30"));

    let twice =
        form.clone().with("starts_at", "2037-10-25T02:30").with("ends_at", "2037-10-25T05:00");
    let page = twice.send(&admin, new).await;
    assert_eq!(page.status, 422);
    let fault = fault(&page, "starts_at").unwrap();
    assert!(fault.contains("show 02:30 twice"), "{fault}");
    assert!(page.text.contains("The earlier one, CEST (UTC+02:00)"), "{}", page.text);
    assert!(page.text.contains("The later one, CET (UTC+01:00)"), "{}", page.text);
    for (fold, utc) in
        [("earlier", "2037-10-25 00:30:00.000"), ("later", "2037-10-25 01:30:00.000")]
    {
        let id = twice.clone().with("starts_fold", fold).create(&admin).await;
        let kept =
            format!("SELECT CAST(starts_at AS CHAR) AS text FROM activities WHERE id = {id}");
        assert_eq!(row(&app, &kept), utc);
        // Opened and saved again, it is still the same one of the two.
        let path = format!("{}/edit", address(id));
        let opened = admin.browser.get(&path).await;
        assert_eq!(input(&opened, "starts_fold").as_deref(), Some(fold), "{}", opened.text);
        let again = Form::of(&opened).with("starts_fold", fold).send(&admin, &path).await;
        assert_eq!(again.status, 303, "{}", again.text);
        assert_eq!(row(&app, &kept), utc);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_rarely_meant_is_asked_about_once() {
    let app = App::start().await;
    let admin = admin(&app).await;
    // Its list price is three times 19.99.
    let form = Form::new(&product(&app, "Kettle").await).with("price", "59.97");
    let new = "/admin/activities/new";
    let asked = form.send(&admin, new).await;
    assert_eq!(asked.status, 422);
    assert!(plain(&asked.text).contains("not below the product's list price of ¥59.97"));
    assert!(asked.text.contains("Yes, save it like this"));
    let mark = input(&asked, "accepted").unwrap();
    // Another price is another question.
    let other = form.clone().with("accepted", &mark).with("price", "60").send(&admin, new).await;
    assert_eq!(other.status, 422);
    let id = form.with("accepted", &mark).create(&admin).await;
    let page = admin.browser.get(&address(id)).await;
    assert!(
        plain(&page.text).contains("not below the product's list price"),
        "it stays to be seen"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_published_sale_has_promised_cannot_be_typed() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let other = product(&app, "Pan").await;
    let id = app.sale(Sale::of(5)).await;
    let path = format!("{}/edit", address(id));
    let opened = admin.browser.get(&path).await;
    for field in ["product", "stock", "buckets", "starts_at"] {
        let (before, _) = opened.text.split_once(&format!("id=\"{field}\"")).unwrap();
        let tag = &opened.text[before.rfind('<').unwrap()..];
        assert!(tag.split('>').next().unwrap().contains(" disabled"), "{field}");
    }
    assert!(opened.text.contains("The sale has begun; its start is fixed."));
    // The form does not send them; whoever sends them all the same is told.
    let form = Form::of(&opened).without("product").without("starts_at").without("stock");
    let form = form.without("buckets");
    for (field, value, begins) in [
        ("product", other.as_str(), "Product: fixed"),
        ("stock", "6", "Stock: of a scheduled activity"),
        ("starts_at", "2037-01-01T00:00", "Start: the sale has begun"),
    ] {
        let sent = form.clone().with(field, value).with("ends_at", "2038-01-01T00:00");
        let page = sent.send(&admin, &path).await;
        assert_eq!(page.status, 422, "{field}: {}", page.text);
        assert!(fault(&page, field).is_some_and(|fault| fault.starts_with(begins)), "{field}");
    }
    let saved = form.with("price", "17.50").send(&admin, &path).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let kept = format!(
        "SELECT CONCAT_WS(' ', price_cents, total_stock) AS text FROM activities WHERE id = {id}"
    );
    assert_eq!(row(&app, &kept), "1750 5");
}
