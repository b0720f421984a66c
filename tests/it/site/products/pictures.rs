//! Pictures: sent, refused, served.

use std::io::Cursor;

use image::{DynamicImage, GenericImageView as _, ImageOutputFormat, Rgb, RgbImage};
use reqwest::Method;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::{BOUNDARY, Form, admin, audit, files, make, post, product_of, products};
use crate::harness::{Answer, App, Plan, SOON, Sale, Shopper, eventually};
use crate::site::{header, is_careful, is_refusal_page};

/// A picture with this much red.
fn picture(red: u8) -> DynamicImage {
    RgbImage::from_fn(900, 600, |x, y| {
        Rgb([red, u8::try_from(x % 256).unwrap(), u8::try_from(y % 256).unwrap()])
    })
    .into()
}

fn encoded(image: &DynamicImage, format: ImageOutputFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(super) fn png() -> Vec<u8> {
    encoded(&picture(9), ImageOutputFormat::Png)
}

/// A PNG that says it has this size, and no data.
fn hollow_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&RgbImage::new(1, 1).into(), ImageOutputFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    bytes
}

/// The name of the picture that the only product has.
fn kept(app: &App) -> String {
    products(app)[0].split('|').nth(4).unwrap().to_owned()
}

fn small(name: &str) -> String {
    name.replace('.', "-small.")
}

async fn bytes(app: &App, path: &str) -> (u16, reqwest::header::HeaderMap, Vec<u8>) {
    let answer = app.http.get(format!("{}{path}", app.url())).send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    (status, headers, answer.bytes().await.unwrap().to_vec())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_sent_served_shown_replaced_and_removed() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let sale = app.sale(Sale::of(5)).await;
    let address = product_of(&app, sale);
    let form = Form::product("Kettle").set("version", "1");
    let sent = [png(), b"<script>alert(1)</script>".to_vec()].concat();
    let saved = post(&admin, &address, &form.clone().with_file("图 片.png", &sent)).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    let name = kept(&app);
    assert!(name.len() == 36 && name.split_once('.').unwrap().1 == "jpg", "{name}");
    assert_eq!(files(&app), [small(&name), name.clone()]);

    for (file, size) in [(name.clone(), (900, 600)), (small(&name), (640, 427))] {
        // Without a session, and without beginning one.
        let (status, headers, content) = bytes(&app, &format!("/pictures/{file}")).await;
        assert_eq!(status, 200);
        for (key, value) in [
            ("content-type", "image/jpeg"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(headers[key], value, "{file}");
        }
        assert!(!headers.contains_key("set-cookie"));
        assert!(
            headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
        );
        assert_eq!(image::load_from_memory(&content).unwrap().dimensions(), size);
        assert!(!content.windows(7).any(|window| window == b"<script"));
    }

    // Shoppers see it, on each page.
    let shopper = app.shopper().await;
    let (large, small) = (format!("/pictures/{name}"), format!("/pictures/{}", small(&name)));
    let sale_page = format!("/activities/{sale}");
    let shown = |answer: &Answer, address: &str| {
        answer.text.contains(&format!("<img src=\"{address}\" alt=\"Kettle\""))
    };
    eventually("the sale shows it", SOON, || async {
        shown(&shopper.browser.get(&sale_page).await, &large).then_some(())
    })
    .await;
    let order = format!("/orders/{}", shopper.must_buy(sale).await);
    for path in ["/", "/orders", &order] {
        let page = shopper.browser.get(path).await;
        assert!(shown(&page, &small), "{path}: {}", page.text);
    }
    assert!(admin.browser.get(&address).await.text.contains(&small));
    assert!(shown(&admin.browser.get("/admin/products").await, &small));

    // Another one; the old address stays good, for pages that are still open.
    let webp = encoded(&picture(200), ImageOutputFormat::WebP);
    let form = form.set("version", "2");
    assert_eq!(post(&admin, &address, &form.clone().with_file("b.webp", &webp)).await.status, 303);
    let other = kept(&app);
    assert_ne!(other, name);
    assert_eq!(bytes(&app, &large).await.0, 200);
    // Saved without choosing one: it stays.
    let form = form.set("name", "Pot").set("version", "3");
    assert_eq!(post(&admin, &address, &form).await.status, 303);
    assert_eq!(kept(&app), other);
    let form = form.set("version", "4").set("remove_picture", "yes");
    assert_eq!(post(&admin, &address, &form).await.status, 303);
    assert_eq!(kept(&app), "-");
    assert!(!admin.browser.get(&address).await.text.contains("/pictures/"));
    eventually("the drawn tile is back", SOON, || async {
        let page = shopper.browser.get(&sale_page).await.text;
        (page.contains("class=\"tile tile-") && !page.contains("/pictures/")).then_some(())
    })
    .await;
    let edits = audit(&app).into_iter().filter(|line| line.contains("product.edit")).count();
    assert_eq!(edits, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_picture_is_refused_with_its_reason() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let png = png();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("text.png", b"Not a picture at all.".to_vec(), "not a PNG, JPEG or WebP"),
        ("empty.png", Vec::new(), "not a PNG, JPEG or WebP"),
        (
            "a.svg",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(),
            "not a PNG, JPEG or WebP",
        ),
        ("a.gif", b"GIF89a\x01\0\x01\0\0\0\0;".to_vec(), "not a PNG, JPEG or WebP"),
        ("cut.png", png[..png.len() / 2].to_vec(), "damaged"),
        ("huge.png", hollow_png(20_000, 20_000), "Too many pixels"),
        ("long.png", hollow_png(8001, 1), "Too many pixels"),
    ];
    for (name, content, told) in cases {
        let form = Form::product("Kettle").with_file(name, &content);
        let page = post(&admin, "/admin/products/new", &form).await;
        assert_eq!(page.status, 422, "{name}: {}", page.text);
        let fault = page.text.split_once("id=\"picture-fault\" class=\"fault\">").expect(name).1;
        assert!(fault.split("</p>").next().unwrap().contains(told), "{name}");
        assert!(page.text.contains("value=\"Kettle\""), "{name}");
    }
    assert!(products(&app).is_empty() && files(&app).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_picture_is_kept_while_another_field_is_put_right() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let form = Form::product("").with_file("a.png", &png());
    let page = post(&admin, "/admin/products/new", &form).await;
    assert_eq!(page.status, 422);
    let sent = page.text.split_once("name=\"sent_before\" value=\"").expect("its name").1;
    let sent = sent.split('"').next().unwrap();
    make(&admin, &Form::product("Kettle").set("sent_before", sent)).await;
    assert_eq!(kept(&app), sent);
    // A name that no picture has, or that is none, is not taken over.
    for forged in ["0123456789abcdef0123456789abcdef.png", "../../etc/passwd", "x"] {
        make(&admin, &Form::product(forged).set("sent_before", forged)).await;
    }
    assert_eq!(products(&app).iter().filter(|line| line.contains("|-|1|0")).count(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_is_a_page_and_not_a_broken_connection() {
    let plan = Plan::default().set("SECKILL__SITE__PICTURE_LIMIT", 200_000);
    let app = App::start_with(plan).await;
    let admin = admin(&app).await;
    for size in [200_001, 300_000, 1_500_000] {
        let form = Form::product("Kettle").with_file("a.png", &vec![7; size]);
        is_refusal_page(&post(&admin, "/admin/products/new", &form).await, 413);
    }
    let novel = Form::product("Kettle").set("description", &"x".repeat(70_000));
    is_refusal_page(&post(&admin, "/admin/products/new", &novel).await, 413);
    // Of unknown length.
    let token = admin.browser.csrf_token().await;
    let body = Form::product("Kettle").with_file("a.png", &vec![7; 600_000]).body(Some(&token));
    assert!(answer_to_chunks(&app, &admin, &body).await.starts_with("HTTP/1.1 413 "));
    // One that is not too large, just no picture.
    let form = Form::product("Kettle").with_file("a.png", &vec![7; 200_000]);
    assert_eq!(post(&admin, "/admin/products/new", &form).await.status, 422);
    assert!(products(&app).is_empty() && files(&app).is_empty());
}

/// Sends a form without telling its length, and gives the answer's first line.
async fn answer_to_chunks(app: &App, admin: &Shopper, body: &[u8]) -> String {
    let host = app.url().trim_start_matches("http://").to_owned();
    let mut socket = TcpStream::connect(&host).await.unwrap();
    let cookies = admin.browser.cookies();
    let cookies: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let head = format!(
        "POST /admin/products/new HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nContent-Type: \
         multipart/form-data; boundary={BOUNDARY}\r\nTransfer-Encoding: chunked\r\n\r\n",
        cookies.join("; ")
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    for chunk in body.chunks(10_000) {
        socket.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).await.unwrap();
        socket.write_all(chunk).await.unwrap();
        socket.write_all(b"\r\n").await.unwrap();
    }
    socket.write_all(b"0\r\n\r\n").await.unwrap();
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line).await.unwrap();
    line
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_not_well_formed_is_refused() {
    let app = App::start().await;
    let admin = admin(&app).await;
    let token = admin.browser.csrf_token().await;
    let whole = Form::product("Kettle").with_file("a.png", &png()).body(Some(&token));
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let part = |head: &str, content: &str| {
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    };
    let begun = part("name=\"csrf_token\"", &token);
    let end = format!("--{BOUNDARY}--\r\n");
    let file = part("name=\"picture\"; filename=\"a.png\"", "x");
    let many = (0..40).map(|n| part(&format!("name=\"f{n}\""), "")).collect::<String>();
    for (kind, body, statuses) in [
        (kind.as_str(), whole[..whole.len() / 2].to_vec(), [400, 400]),
        (&kind, Vec::new(), [403, 400]),
        (&kind, b"no boundary anywhere".to_vec(), [403, 400]),
        (&kind, end.clone().into_bytes(), [403, 400]),
        (&kind, format!("{begun}{file}{file}{end}").into_bytes(), [400, 400]),
        (&kind, format!("{begun}{many}{end}").into_bytes(), [400, 400]),
        (
            &kind,
            [begun.as_bytes(), part("name=\"name\"", "").as_bytes(), b"\xff"].concat(),
            [400, 400],
        ),
        (
            &kind,
            [
                begun.as_bytes(),
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n")
                    .as_bytes(),
                b"\xff\xfe\r\n",
                end.as_bytes(),
            ]
            .concat(),
            [400, 400],
        ),
        (
            &kind,
            format!("{begun}{}{}{end}", part("name=\"name\"", "a"), part("name=\"name\"", "b"))
                .into_bytes(),
            [400, 400],
        ),
        ("multipart/form-data", whole.clone(), [400, 400]),
        ("multipart/form-data; boundary=", whole.clone(), [400, 400]),
        ("multipart/mixed; boundary=x", whole.clone(), [415, 415]),
    ] {
        let page = admin.browser.post_raw("/admin/products/new", kind, body.clone()).await;
        let told = || format!("{kind} {:.200}: {}", String::from_utf8_lossy(&body), page.status);
        assert!(statuses.contains(&page.status), "{}", told());
        is_refusal_page(&page, page.status);
    }
    assert!(products(&app).is_empty() && files(&app).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_pictures_are_served_and_under_their_own_name_alone() {
    let app = App::start().await;
    let admin = admin(&app).await;
    make(&admin, &Form::product("Kettle").with_file("a.png", &png())).await;
    let name = kept(&app);
    let folder = app.pictures.path();
    std::fs::write(folder.join("secret.txt"), "x").unwrap();
    std::fs::write(folder.join(".hidden.jpg"), "x").unwrap();
    std::fs::create_dir(folder.join("0123456789abcdef0123456789abcdef.png")).unwrap();
    for path in [
        "/pictures/",
        "/pictures",
        "/pictures/secret.txt",
        "/pictures/.hidden.jpg",
        "/pictures/..%2fsecret.txt",
        "/pictures/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/pictures/%2fetc%2fpasswd",
        "/pictures/0123456789abcdef0123456789abcdef.png",
        "/pictures/0123456789abcdef0123456789abcdef.jpg",
        &format!("/pictures/{}", name.to_uppercase()),
        &format!("/pictures/{name}%00"),
        &format!("/pictures/{name}/"),
        &format!("/pictures/./{name}x"),
        &format!("/pictures/{}", name.replace(".jpg", ".png")),
        &format!("/pictures/x{name}"),
        &format!("/pictures/%5c{name}"),
    ] {
        let page = admin.browser.get(path).await;
        assert_eq!(page.status, 404, "{path}: {}", page.text);
        is_careful(&page);
    }
    let request = admin.browser.request(Method::HEAD, &format!("/pictures/{name}"));
    let head = admin.browser.try_send(request, "image/*").await.unwrap();
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(header(&head, "content-type"), "image/jpeg");
    let token = admin.browser.csrf_token().await;
    let posted = admin.browser.post(&format!("/pictures/{name}"), &[("csrf_token", &token)]).await;
    assert_eq!(posted.status, 405);
    // A file that somebody took away: its page still stands.
    std::fs::remove_file(folder.join(small(&name))).unwrap();
    assert_eq!(admin.browser.get("/admin/products").await.status, 200);
}
