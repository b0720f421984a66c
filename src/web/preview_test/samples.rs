//! Sales and orders to fill pages with.

use crate::web::language::Language;
use crate::web::page::{Frame, Role, Viewer};
use crate::web::pictures::Look;
use crate::web::shop::view::order::{CancelReason, Order, OrderState, RejectReason};
use crate::web::shop::view::sale::{Sale, SaleState};

pub const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

pub fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

pub fn frame(language: Language, signed_in: bool, path: &str) -> Frame {
    let name = match language {
        Language::En => "Ada <Lovelace> & co",
        Language::ZhCn => "陈晓明",
    };
    Frame {
        language,
        csrf_token: "token-of-the-session".into(),
        viewer: signed_in.then(|| Viewer { name: name.into(), role: Role::Shopper }),
        path: path.into(),
        now_ms: now(),
        currency: "CNY".into(),
    }
}

struct Ware {
    english: (&'static str, &'static str),
    chinese: (&'static str, &'static str),
    price: i64,
    former_price: Option<i64>,
    left: i64,
}

const WARES: [Ware; 6] = [
    Ware {
        english: ("Morning rush", "Hand brewer for the road"),
        chinese: ("早市抢鲜", "便携手冲咖啡壶"),
        price: 1999,
        former_price: Some(4999),
        left: 48,
    },
    Ware {
        english: ("Headphones at half price", "Lark H2 wireless headphones"),
        chinese: ("耳机半价夜", "云雀 H2 无线耳机"),
        price: 49_900,
        former_price: Some(99_800),
        left: 7,
    },
    Ware {
        english: ("Pocket projector night", "Lumen Mini projector"),
        chinese: ("口袋影院之夜", "流明 Mini 投影仪"),
        price: 129_900,
        former_price: Some(259_900),
        left: 88,
    },
    Ware {
        english: ("Trail day", "Ridge 30 l backpack"),
        chinese: ("山野日", "山脊 30 升背包"),
        price: 32_850,
        former_price: None,
        left: 30,
    },
    Ware {
        english: ("Desk lamp hour", "Halo desk lamp, warm white"),
        chinese: ("一小时台灯场", "光环台灯 暖白"),
        price: 9900,
        former_price: Some(12_900),
        left: 100,
    },
    Ware {
        english: ("Keyboard drop", "K75 mechanical keyboard 👩‍💻"),
        chinese: ("键盘上新", "K75 机械键盘 👩‍💻"),
        price: 59_900,
        former_price: Some(89_900),
        left: 3,
    },
];

pub fn sale(language: Language, id: i64, state: SaleState) -> Sale {
    let ware = &WARES[usize::try_from(id).unwrap() % WARES.len()];
    let (title, product) = match language {
        Language::En => ware.english,
        Language::ZhCn => ware.chinese,
    };
    let (starts, ends) = match state {
        SaleState::Upcoming => (2 * HOUR + id % 2 * id * 26 * HOUR + 754_000, 90 * HOUR),
        SaleState::Ended | SaleState::Cancelled => (-5 * HOUR, -HOUR),
        _ => (-10 * MINUTE, 49 * MINUTE + 7000),
    };
    Sale {
        id,
        title: title.into(),
        look: Look::drawn(id, product),
        price: ware.price,
        former_price: ware.former_price,
        starts_at_ms: now() + starts,
        ends_at_ms: now() + ends,
        state,
        left: match state {
            SaleState::SoldOut | SaleState::Ended => 0,
            SaleState::Upcoming => 100,
            _ => ware.left,
        },
        total: 100,
    }
}

pub fn order(language: Language, id: i64, state: OrderState) -> Order {
    let Sale { title, look, price, .. } = sale(language, id, SaleState::Open);
    Order {
        order_no: "01KB7Z5Q3N8XW2M4T6R9V1C0DE".into(),
        activity_id: id,
        title,
        look,
        amount: price,
        currency: "CNY".into(),
        made_at_ms: now() - 20_000,
        state,
    }
}

pub fn order_states() -> Vec<(&'static str, OrderState)> {
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
