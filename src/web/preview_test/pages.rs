//! Every page in every state, each with a name.

use askama::Template;

use super::products;
use super::samples::{MINUTE, frame, now, order, order_states, sale};
use crate::web::error_page::{ErrorKind, ErrorPage};
use crate::web::faults::Faults;
use crate::web::language::Language;
use crate::web::shop::view::account::{
    AccountRules, LoginFault, LoginPage, PasswordFault, RegisterPage, UsernameFault,
};
use crate::web::shop::view::order::{OrderNotice, OrderPage, OrderState, OrdersPage};
use crate::web::shop::view::outcome::{Outcome, OutcomePage};
use crate::web::shop::view::own_account::OwnAccountPage;
use crate::web::shop::view::purchase::{PurchaseNotice, PurchasePage};
use crate::web::shop::view::sale::{ActivitiesPage, ActivityPage, SaleState};
use crate::web::text::key;

/// The ticket of the sample purchase; its picture is written beside the pages.
pub const TICKET: &str = "b3Jkb3JkZXJvZmRheXM";

pub type Pages = Vec<(String, String)>;

pub fn page(name: impl Into<String>, page: &impl Template) -> (String, String) {
    (name.into().to_lowercase(), page.render().unwrap())
}

pub fn all(language: Language) -> Pages {
    [
        lists,
        sales,
        purchases,
        outcomes,
        orders,
        accounts,
        errors,
        products::all,
        super::accounts::all,
    ]
    .iter()
    .flat_map(|pages| pages(language))
    .collect()
}

pub fn list(language: Language, signed_in: bool) -> ActivitiesPage {
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

fn lists(language: Language) -> Pages {
    let nothing =
        ActivitiesPage { open: vec![], upcoming: vec![], ended: vec![], ..list(language, false) };
    let one =
        ActivitiesPage { open: vec![sale(language, 1, SaleState::Open)], ..list(language, true) };
    vec![
        page("list", &list(language, true)),
        page("list-signed-out", &list(language, false)),
        page("list-empty", &nothing),
        page("list-one", &one),
    ]
}

fn sales(language: Language) -> Pages {
    let states = [
        SaleState::Upcoming,
        SaleState::Open,
        SaleState::SoldOut,
        SaleState::Paused,
        SaleState::Restoring,
        SaleState::Ended,
        SaleState::Cancelled,
    ];
    let mut pages = Pages::new();
    for state in states {
        for (signed_in, who) in [(true, ""), (false, "-signed-out")] {
            let view = ActivityPage {
                f: frame(language, signed_in, "/activities/1"),
                sale: sale(language, 1, state),
                description: if signed_in { "Line one\nline two".into() } else { String::new() },
                pay_within_seconds: 900,
                asks_captcha: signed_in,
                is_preview: false,
            };
            pages.push(page(format!("activity-{}{who}", state.name()), &view));
        }
    }
    pages
}

fn purchases(language: Language) -> Pages {
    let view = |captcha_length, notice| PurchasePage {
        f: frame(language, true, "/activities/1/purchase"),
        sale: sale(language, 1, SaleState::Open),
        ticket: TICKET.into(),
        price: 49_900,
        captcha_length,
        expires_at_ms: now() + 57_000,
        pay_within_seconds: 900,
        notice,
    };
    vec![
        page("purchase", &view(Some(5), None)),
        page("purchase-no-captcha", &view(None, None)),
        page("purchase-captcha-wrong", &view(Some(5), Some(PurchaseNotice::CaptchaWrong))),
        page("purchase-expired", &view(Some(5), Some(PurchaseNotice::TicketExpired))),
        page("purchase-too-fast", &view(Some(5), Some(PurchaseNotice::TooFast))),
    ]
}

fn outcomes(language: Language) -> Pages {
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
    let view = |outcome| OutcomePage {
        f: frame(language, true, "/activities/1"),
        outcome,
        activity_id: 1,
        title: sale(language, 1, SaleState::Open).title,
    };
    outcomes.map(|outcome| page(format!("outcome-{}", outcome.name()), &view(outcome))).into()
}

fn orders(language: Language) -> Pages {
    let view = |state, notice| {
        let order = order(language, 1, state);
        let f = frame(language, true, &format!("/orders/{}", order.order_no));
        OrderPage {
            f,
            order,
            money: Vec::new(),
            history: Vec::new(),
            notice,
            cancel_bars: notice.is_some(),
        }
    };
    let mut pages: Pages = order_states()
        .into_iter()
        .map(|(name, state)| page(format!("order-{name}"), &view(state, None)))
        .collect();
    let pending = OrderState::PendingPayment { pay_before_ms: now() + MINUTE / 2 };
    for (state, notice) in [
        (OrderState::Reserved, OrderNotice::BeingPlaced),
        (pending, OrderNotice::HasChanged),
        (pending, OrderNotice::PaymentUnavailable),
    ] {
        pages.push(page(format!("order-notice-{notice:?}"), &view(state, Some(notice))));
    }
    let list = |orders, older| OrdersPage { f: frame(language, true, "/orders"), orders, older };
    let every =
        (1..).zip(order_states()).map(|(id, (_, state))| order(language, id, state)).collect();
    pages.push(page(
        "orders",
        &list(every, Some("/orders?before=01KB7Z5Q3N8XW2M4T6R9V1C0DE".into())),
    ));
    pages.push(page("orders-empty", &list(vec![], None)));
    pages
}

fn accounts(language: Language) -> Pages {
    let login = |fault| LoginPage {
        f: frame(language, false, "/login?next=/activities/1"),
        username: "\"ada\"".into(),
        next: "/activities/1?a=b&c".into(),
        fault,
    };
    let register = |username_fault, password_fault, busy| RegisterPage {
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
        busy,
    };
    let mut pages = vec![
        page("login", &login(None)),
        page("register", &register(None, None, false)),
        page("register-busy", &register(None, None, true)),
    ];
    for fault in [
        LoginFault::Missing,
        LoginFault::Wrong,
        LoginFault::TooManyTries,
        LoginFault::Busy,
        LoginFault::Closed,
    ] {
        pages.push(page(format!("login-{fault:?}"), &login(Some(fault))));
    }
    for fault in [
        UsernameFault::Missing,
        UsernameFault::TooShort,
        UsernameFault::TooLong,
        UsernameFault::Characters,
        UsernameFault::Taken,
    ] {
        pages.push(page(format!("register-name-{fault:?}"), &register(Some(fault), None, false)));
    }
    for fault in [PasswordFault::Missing, PasswordFault::TooShort, PasswordFault::TooLong] {
        pages.push(page(
            format!("register-password-{fault:?}"),
            &register(None, Some(fault), false),
        ));
    }
    let own = |faults, notice, done| OwnAccountPage {
        f: frame(language, true, "/account"),
        password_min: 8,
        faults,
        notice,
        done,
    };
    let mut faults = Faults::default();
    for field in ["current", "new", "again"] {
        faults.add(field, key("account-current-wrong"));
    }
    pages.push(page("account", &own(Faults::default(), None, false)));
    pages.push(page("account-faults", &own(faults, None, false)));
    pages.push(page("account-busy", &own(Faults::default(), Some(key("login-busy")), false)));
    let done = Some(key("account-password-done"));
    pages.push(page("account-done", &own(Faults::default(), done, true)));
    pages
}

fn errors(language: Language) -> Pages {
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
        ErrorKind::SignOutUnsure,
    ];
    let view = |kind: ErrorKind| ErrorPage {
        f: frame(language, !kind.is_signed_out(), "/orders"),
        kind,
        request_id: Some("7f3a91c2".into()),
    };
    kinds.map(|kind| page(format!("error-{kind:?}"), &view(kind))).into()
}
