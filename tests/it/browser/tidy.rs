//! Every page, on the narrowest screen: nothing sticks out, and the console has nothing to say. A
//! violation of the content security policy would be said there.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use seckill::sale::actor::Actor;

use super::Setting;
use super::person::{Person, SUBMIT, page_of, purchase_of};
use crate::harness::{App, Sale};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_fits_a_phone_and_leaves_the_console_empty() {
    let app = App::start().await;
    let long = "An uncommonly long name for a kettle that never ends".to_owned();
    let named = |sale: Sale| Sale { title: long.clone(), captcha: true, ..sale };
    let open = app.sale(named(Sale { rebuy: false, ..Sale::of(5) })).await;
    let next_week = Sale { ends_at: Utc::now() + TimeDelta::days(9), ..Sale::of(5) };
    let upcoming = app.sale(named(next_week.opening_in(Duration::from_hours(170)))).await;
    let sold_out = app.sale(Sale::of(1)).await;
    app.shopper().await.must_buy(sold_out).await;
    let paused = app.sale(named(Sale::of(5))).await;
    app.office.pause(paused, None, &Actor::command()).await.unwrap();
    let ended = app.sale(named(Sale::of(5))).await;
    app.office.end(ended, None, &Actor::command()).await.unwrap();
    let person = Person::new(&app, Setting::PHONE).await;
    let window = &person.window;

    window.goes_to("/register").await;
    window.types("#username", &person.name).await;
    window.types("#password", "long enough").await;
    window.clicks(SUBMIT).await;
    window.sees("#username-hint", "This name is taken. Please choose another.").await;
    window.looks_at("register-taken").await;
    window.goes_to("/login").await;
    window.types("#username", &person.name).await;
    window.types("#password", "not the password").await;
    window.clicks(SUBMIT).await;
    window.sees("#fault", "Name or password is not right.").await;
    window.looks_at("login-wrong").await;
    person.signs_in().await;
    window.arrives_at("/").await;

    for (path, title) in [
        ("/orders".to_owned(), "My orders"),
        (page_of(upcoming), long.as_str()),
        (page_of(sold_out), "Kettles at noon"),
        (page_of(paused), long.as_str()),
        (page_of(ended), long.as_str()),
        (purchase_of(upcoming), "Not open yet"),
        (purchase_of(sold_out), "Sold out"),
        (purchase_of(paused), "The sale is paused"),
        (purchase_of(ended), "This sale is over"),
        ("/activities/999".to_owned(), "There is nothing here"),
        ("/orders/01M8KQQ4QBNT53ANY3ZQSV0492".to_owned(), "There is nothing here"),
    ] {
        window.goes_to(&path).await;
        window.sees("h1", title).await;
        window.looks_at(&format!("page{}", path.replace('/', "-"))).await;
    }

    window.goes_to(&page_of(open)).await;
    person.buys(open).await;
    window.sees("h1", "Your order is placed").await;
    window.clicks(".cancel summary").await;
    window.looks_at("order-cancelling").await;
    window.clicks(".cancel form button").await;
    window.sees("h1", "Order cancelled").await;
    window.looks_at("order-cancelled").await;
    window.goes_to(&purchase_of(open)).await;
    window.sees("h1", "Not again in this sale").await;
    window.looks_at("purchase-barred").await;

    window.clicks(".languages button[value=zh-CN]").await;
    window.sees("h1", "本场不能再买").await;
    window.goes_to("/").await;
    window.sees("h1", "限时秒杀").await;
    window.looks_at("list-zh").await;
    window.clicks(".top-account button").await;
    window.sees(".top-account a", "登录").await;
    person.has_no_complaint().await;
}
