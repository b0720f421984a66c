//! Renders every page in every state and language. With `SECKILL_PREVIEW_DIR` set, writes them
//! there with the static files, to be looked at in a browser:
//! `SECKILL_PREVIEW_DIR=/tmp/preview cargo test preview && python3 -m http.server -d /tmp/preview`.

use std::path::Path;

use askama::Template;

use super::assets::{ASSETS, MARK};
use super::error_page::{ErrorKind, ErrorPage};
use super::language::Language;
use super::page::{Frame, Role, Viewer};
use super::shop::view::account::{
    AccountRules, LoginFault, LoginPage, PasswordFault, RegisterPage, UsernameFault,
};
use super::shop::view::order::{
    CancelReason, Order, OrderNotice, OrderPage, OrderState, OrdersPage, RejectReason,
};
use super::shop::view::outcome::{Outcome, OutcomePage};
use super::shop::view::purchase::{PurchaseNotice, PurchasePage};
use super::shop::view::sale::{ActivitiesPage, ActivityPage, Sale, SaleState};
use super::text::MISSING;

const MINUTE: i64 = 60_000;
const TICKET: &str = "b3Jkb3JkZXJvZmRheXM";
const HOUR: i64 = 60 * MINUTE;

fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

fn frame(language: Language, signed_in: bool, path: &str) -> Frame {
    let name = if language == Language::En { "Ada <Lovelace> & co" } else { "陈晓明" };
    Frame {
        language,
        csrf_token: "token-of-the-session".into(),
        viewer: signed_in.then(|| Viewer { name: name.into(), role: Role::Shopper }),
        path: path.into(),
        now_ms: now(),
        currency: "CNY".into(),
    }
}

fn sale(language: Language, id: i64, state: SaleState) -> Sale {
    let names = [
        ("Morning rush", "Aeropress travel brewer", "早市抢鲜", "便携手冲咖啡壶"),
        (
            "Headphones at half price",
            "Lark H2 wireless headphones",
            "耳机半价夜",
            "云雀 H2 无线耳机",
        ),
        ("Pocket projector night", "Lumen Mini projector", "口袋影院之夜", "流明 Mini 投影仪"),
        ("Trail day", "Ridge 30 l backpack", "山野日", "山脊 30 升背包"),
        ("Desk lamp hour", "Halo desk lamp, warm white", "一小时台灯场", "光环台灯 暖白"),
        ("Keyboard drop", "K75 mechanical keyboard 👩‍💻", "键盘上新", "K75 机械键盘 👩‍💻"),
    ];
    let (title, product, title_zh, product_zh) = names[usize::try_from(id % 6).unwrap()];
    let (title, product) =
        if language == Language::En { (title, product) } else { (title_zh, product_zh) };
    let (starts, ends) = match state {
        SaleState::Upcoming => (2 * HOUR + id * 26 * HOUR * (id % 2) + 754_000, 40 * HOUR),
        SaleState::Ended | SaleState::Cancelled => (-5 * HOUR, -HOUR),
        _ => (-10 * MINUTE, 49 * MINUTE + 7000),
    };
    Sale {
        id,
        title: title.into(),
        product_id: id,
        product: product.into(),
        price: [1999, 49_900, 129_900, 32_850, 9900, 59_900][usize::try_from(id % 6).unwrap()],
        former_price: (id % 6 != 3)
            .then(|| [4999, 99_800, 259_900, 0, 12_900, 89_900][usize::try_from(id % 6).unwrap()]),
        starts_at_ms: now() + starts,
        ends_at_ms: now() + ends,
        state,
        left: match state {
            SaleState::SoldOut | SaleState::Ended => 0,
            SaleState::Upcoming => 100,
            _ => [48, 7, 88, 30, 100, 3][usize::try_from(id % 6).unwrap()],
        },
        total: 100,
    }
}

fn order(language: Language, id: i64, state: OrderState) -> Order {
    let Sale { title, product, price, product_id, .. } = sale(language, id, SaleState::Open);
    Order {
        order_no: "01KB7Z5Q3N8XW2M4T6R9V1C0DE".into(),
        activity_id: id,
        title,
        product_id,
        product,
        amount: price,
        currency: "CNY".into(),
        made_at_ms: now() - 20_000,
        state,
    }
}

const SALE_STATES: [SaleState; 7] = [
    SaleState::Upcoming,
    SaleState::Open,
    SaleState::SoldOut,
    SaleState::Paused,
    SaleState::Restoring,
    SaleState::Ended,
    SaleState::Cancelled,
];

fn order_states() -> Vec<(&'static str, OrderState)> {
    let cancelled = |reason, may_buy_again| OrderState::Cancelled {
        cancelled_at_ms: Some(now()),
        reason,
        may_buy_again,
    };
    let rejected = |reason| OrderState::Rejected { reason };
    vec![
        ("reserved", OrderState::Reserved),
        ("checking", OrderState::Checking),
        ("pending", OrderState::PendingPayment { pay_before_ms: now() + 14 * MINUTE + 32_000 }),
        ("paid", OrderState::Paid { paid_at_ms: Some(now()) }),
        ("cancelled-by-shopper", cancelled(CancelReason::ByShopper, true)),
        ("cancelled-not-paid", cancelled(CancelReason::NotPaidInTime, true)),
        ("cancelled-by-staff", cancelled(CancelReason::ByStaff, false)),
        ("rejected-sold-out", rejected(RejectReason::SoldOut)),
        ("rejected-already-held", rejected(RejectReason::AlreadyHeld)),
        ("rejected-barred", rejected(RejectReason::Barred)),
        ("lost", OrderState::Lost),
    ]
}

/// Every page in every state, with a name for its file.
fn pages(language: Language) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut add = |name: String, html: askama::Result<String>| pages.push((name, html.unwrap()));

    add("list".into(), list(language, true).render());
    add("list-signed-out".into(), list(language, false).render());
    let nothing =
        ActivitiesPage { open: vec![], upcoming: vec![], ended: vec![], ..list(language, false) };
    add("list-empty".into(), nothing.render());
    let one =
        ActivitiesPage { open: vec![sale(language, 1, SaleState::Open)], ..list(language, true) };
    add("list-one".into(), one.render());

    for state in SALE_STATES {
        for signed_in in [true, false] {
            let page = ActivityPage {
                f: frame(language, signed_in, "/activities/1"),
                sale: sale(language, 1, state),
                description: if signed_in {
                    "Light, foldable.\n40 hours of music.".into()
                } else {
                    String::new()
                },
                pay_within_seconds: 900,
                asks_captcha: signed_in,
            };
            let who = if signed_in { "" } else { "-signed-out" };
            add(format!("activity-{}{who}", state.name()), page.render());
        }
    }

    let notices = [
        None,
        Some(PurchaseNotice::CaptchaWrong),
        Some(PurchaseNotice::TicketExpired),
        Some(PurchaseNotice::TooFast),
    ];
    for (number, notice) in notices.into_iter().enumerate() {
        add(format!("purchase-{number}"), purchase(language, Some(5), notice).render());
    }
    add("purchase-no-captcha".into(), purchase(language, None, None).render());

    let outcomes = [
        Outcome::SoldOut,
        Outcome::NotOpen { opens_at_ms: now() + 95_000 },
        Outcome::Ended,
        Outcome::Paused,
        Outcome::TicketInvalid,
        Outcome::CaptchaWrong,
        Outcome::TooFast,
        Outcome::Restoring,
        Outcome::Busy,
        Outcome::Barred,
    ];
    for outcome in outcomes {
        let f = frame(language, true, "/activities/1");
        let page = OutcomePage {
            f,
            outcome,
            activity_id: 1,
            title: sale(language, 1, SaleState::Open).title,
        };
        add(format!("outcome-{}", outcome.name()), page.render());
    }

    for (name, state) in order_states() {
        let notice = (name == "reserved").then_some(OrderNotice::BeingPlaced);
        add(format!("order-{name}"), order_page(language, state, notice).render());
    }
    let pending = OrderState::PendingPayment { pay_before_ms: now() + 30_000 };
    for (name, notice) in
        [("changed", OrderNotice::HasChanged), ("unavailable", OrderNotice::PaymentUnavailable)]
    {
        let page = OrderPage { cancel_bars: true, ..order_page(language, pending, Some(notice)) };
        add(format!("order-pending-{name}"), page.render());
    }
    let all =
        (1..).zip(order_states()).map(|(id, (_, state))| order(language, id, state)).collect();
    let older = Some("/orders?before=01KB7Z5Q3N8XW2M4T6R9V1C0DE".to_owned());
    add(
        "orders".into(),
        OrdersPage { f: frame(language, true, "/orders"), orders: all, older }.render(),
    );
    let none = OrdersPage { f: frame(language, true, "/orders"), orders: vec![], older: None };
    add("orders-empty".into(), none.render());

    add("login".into(), login(language, None).render());
    for fault in
        [LoginFault::Missing, LoginFault::Wrong, LoginFault::TooManyTries, LoginFault::Busy]
    {
        add(format!("login-{fault:?}").to_lowercase(), login(language, Some(fault)).render());
    }
    add("register".into(), register(language, None, None).render());
    let name_faults = [
        UsernameFault::Missing,
        UsernameFault::TooShort,
        UsernameFault::TooLong,
        UsernameFault::Characters,
        UsernameFault::Taken,
    ];
    for fault in name_faults {
        add(
            format!("register-name-{fault:?}").to_lowercase(),
            register(language, Some(fault), None).render(),
        );
    }
    for fault in [PasswordFault::Missing, PasswordFault::TooShort, PasswordFault::TooLong] {
        add(
            format!("register-password-{fault:?}").to_lowercase(),
            register(language, None, Some(fault)).render(),
        );
    }
    add(
        "register-busy".into(),
        RegisterPage { busy: true, ..register(language, None, None) }.render(),
    );

    let kinds = [
        ErrorKind::BadRequest,
        ErrorKind::SignedOut,
        ErrorKind::Forbidden,
        ErrorKind::StaleForm,
        ErrorKind::NotFound,
        ErrorKind::MethodNotAllowed,
        ErrorKind::Conflict,
        ErrorKind::TooLarge,
        ErrorKind::UnsupportedMedia,
        ErrorKind::TooMany,
        ErrorKind::Internal,
        ErrorKind::Unavailable,
    ];
    for kind in kinds {
        let f = frame(language, kind != ErrorKind::SignedOut, "/orders");
        let page = ErrorPage { f, kind, request_id: Some("7f3a91c2".into()) };
        add(format!("error-{kind:?}").to_lowercase(), page.render());
    }
    pages
}

fn list(language: Language, signed_in: bool) -> ActivitiesPage {
    ActivitiesPage {
        f: frame(language, signed_in, "/"),
        open: vec![
            sale(language, 1, SaleState::Open),
            sale(language, 2, SaleState::Open),
            sale(language, 0, SaleState::SoldOut),
        ],
        upcoming: vec![
            sale(language, 3, SaleState::Upcoming),
            sale(language, 4, SaleState::Upcoming),
        ],
        ended: vec![sale(language, 5, SaleState::Ended)],
    }
}

fn purchase(
    language: Language,
    captcha_length: Option<u32>,
    notice: Option<PurchaseNotice>,
) -> PurchasePage {
    PurchasePage {
        f: frame(language, true, "/activities/1/purchase"),
        sale: sale(language, 1, SaleState::Open),
        ticket: TICKET.into(),
        price: 49_900,
        captcha_length,
        expires_at_ms: now() + 57_000,
        pay_within_seconds: 900,
        notice,
    }
}

fn order_page(language: Language, state: OrderState, notice: Option<OrderNotice>) -> OrderPage {
    let order = order(language, 1, state);
    let f = frame(language, true, &format!("/orders/{}", order.order_no));
    OrderPage { f, order, notice, cancel_bars: false }
}

fn login(language: Language, fault: Option<LoginFault>) -> LoginPage {
    let f = frame(language, false, "/login?next=/activities/1");
    LoginPage { f, username: "\"ada\"".into(), next: "/activities/1?a=b&c".into(), fault }
}

fn register(
    language: Language,
    username_fault: Option<UsernameFault>,
    password_fault: Option<PasswordFault>,
) -> RegisterPage {
    RegisterPage {
        f: frame(language, false, "/register"),
        username: "陈".into(),
        next: String::new(),
        rules: AccountRules {
            username_min: 2,
            username_max: 32,
            password_min: 8,
            password_max: 128,
        },
        username_fault,
        password_fault,
        busy: false,
    }
}

/// What the content security policy would refuse, or an accessible page may not lack.
fn check(name: &str, html: &str) {
    assert!(!html.contains(MISSING), "{name}: a text is missing: {}", after(html, MISSING));
    assert!(html.starts_with("<!doctype html>"), "{name}: {}", &html[..40.min(html.len())]);
    assert_eq!(html.matches("<h1").count(), 1, "{name}: one headline");
    for refused in
        [" style=", "<style", " onclick=", " onload=", "javascript:", "http://", "https://"]
    {
        assert!(!html.contains(refused), "{name}: holds {refused}");
    }
    for script in html.split("<script").skip(1) {
        assert!(
            script.starts_with(" type=\"module\" src=\"/static/"),
            "{name}: a script of another kind"
        );
    }
    for form in html.split("<form").skip(1).filter(|form| form.contains("method=\"post\"")) {
        let form = form.split("</form>").next().unwrap();
        assert!(
            form.contains("name=\"csrf_token\" value=\"token-of-the-session\""),
            "{name}: a form without token"
        );
    }
    let mut ids: Vec<&str> =
        html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{name}: an id stands twice");
    for label in html.split("<label for=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(ids.contains(&label), "{name}: a label of nothing");
    }
}

fn after(html: &str, mark: char) -> &str {
    html.split(mark).nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default()
}

#[test]
fn preview_of_every_page() {
    for language in Language::ALL {
        for (name, html) in pages(language) {
            check(&name, &html);
            assert!(html.contains(&format!("<html lang=\"{}\"", language.tag())));
            if let Some(folder) = std::env::var_os("SECKILL_PREVIEW_DIR") {
                write(Path::new(&folder), &format!("{}-{name}.html", language.tag()), &html);
            }
        }
    }
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let evil = "\"><script>alert(1)</script>' \u{202e}";
    let mut page = list(Language::En, true);
    page.open[0].title = evil.into();
    page.open[0].product = evil.into();
    page.f.path = format!("/?{evil}");
    page.f.viewer = Some(Viewer { name: evil.into(), role: Role::Admin });
    let html = page.render().unwrap();
    assert!(!html.contains("<script>alert"));
    check("evil", &html);
}

fn write(folder: &Path, name: &str, html: &str) {
    let assets = folder.join("static").join(&*MARK);
    std::fs::create_dir_all(&assets).unwrap();
    for asset in &ASSETS {
        std::fs::write(assets.join(asset.name), asset.body).unwrap();
    }
    let pictures = folder.join("activities/1/captcha");
    std::fs::create_dir_all(&pictures).unwrap();
    std::fs::write(
        pictures.join(TICKET),
        crate::captcha::draw(crate::captcha::Seed::random()).unwrap().png,
    )
    .unwrap();
    std::fs::write(folder.join(name), html).unwrap();
}
