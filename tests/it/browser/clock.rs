//! A browser whose clock is wrong sees the same countdown as everybody.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::person::{BUY, Person, page_of};
use super::{Setting, Window};
use crate::harness::{App, SOON, Sale, eventually};

/// What a browser on the same machine may be late by, with other tests beside it.
const LATE: TimeDelta = TimeDelta::seconds(4);

/// A day ahead, for whoever asks in whatever way.
const A_DAY_AHEAD: &str = "{
    const Real = Date, ahead = 86400000;
    globalThis.Date = class extends Real {
        constructor(...parts) { parts.length ? super(...parts) : super(Real.now() + ahead); }
        static now() { return Real.now() + ahead; }
    };
}";

/// A laptop whose `performance.now()` stands still while it sleeps; `laptopSleeps(ms)` is such a sleep.
const SLEEPY: &str = "{
    const real = performance.now.bind(performance);
    let slept = 0;
    performance.now = () => real() - slept;
    globalThis.laptopSleeps = (ms) => { slept += ms; return true; };
}";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_ahead_in_another_zone_the_button_opens_with_the_server() {
    let app = App::start().await;
    let elsewhere =
        Setting { time_zone: "Pacific/Kiritimati", before_pages: A_DAY_AHEAD, ..Setting::DESK };
    let person = Person::signed_in(&app, elsewhere).await;
    let (starts_at, window) = (waits_before_a_sale(&app, &person).await, &person.window);

    let theirs = window.asks("Date.now()").await.as_f64().unwrap();
    #[expect(clippy::cast_precision_loss, reason = "compared to within hours")]
    let ahead = theirs - Utc::now().timestamp_millis() as f64;
    assert!((ahead - 86_400_000.0).abs() < 60_000.0, "the browser's clock is a day ahead");
    let shown = window.text("time[data-local]").await.unwrap();
    assert!(shown.ends_with("GMT+14"), "times are told in the visitor's zone: {shown}");

    counts_down_right(window, starts_at).await;
    opens_with_the_server(window, starts_at).await;
    person.has_no_complaint().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_laptop_that_slept_asks_for_the_time_again() {
    let app = App::start().await;
    let person = Person::signed_in(&app, Setting { before_pages: SLEEPY, ..Setting::DESK }).await;
    let (starts_at, window) = (waits_before_a_sale(&app, &person).await, &person.window);

    window.asks("laptopSleeps(6000)").await;
    counts_down_right(window, starts_at).await;
    opens_with_the_server(window, starts_at).await;
    person.has_no_complaint().await;
}

/// Opens the page of a sale that begins soon, and gives its start.
async fn waits_before_a_sale(app: &App, person: &Person) -> DateTime<Utc> {
    let sale = Sale::of(5).opening_in(Duration::from_secs(9));
    let starts_at = sale.starts_at;
    let id = app.sale(sale).await;
    person.window.goes_to(&page_of(id)).await;
    starts_at
}

async fn counts_down_right(window: &Window, starts_at: DateTime<Utc>) {
    eventually("the countdown is the server's", SOON, || async {
        let shown = window.text(".countdown [data-part=seconds]").await?.parse().ok()?;
        let left = starts_at - Utc::now();
        assert!(left > TimeDelta::zero(), "the start came before the countdown was right");
        ((TimeDelta::seconds(shown) - left).abs() <= TimeDelta::milliseconds(1500)).then_some(())
    })
    .await;
}

async fn opens_with_the_server(window: &Window, starts_at: DateTime<Utc>) {
    let opened = eventually("the button opens", SOON, || async {
        window.is_enabled(BUY).await.then(Utc::now)
    })
    .await;
    let late = opened - starts_at;
    assert!(late > TimeDelta::milliseconds(-300), "the button opened {late} after the start");
    assert!(late < LATE, "the button opened {late} after the start");
}
