//! Accounts, as their owner and an admin see them: on a desk and on a phone.

use seckill::sale::shopper::Role;

use super::Setting;
use super::person::{Person, SUBMIT};
use crate::harness::app::PASSWORD;
use crate::harness::{App, Plan};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_finds_an_account_and_closes_it() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    for setting in [Setting::DESK, Setting::PHONE] {
        let admin = Person::of_role(&app, Role::Admin, setting).await;
        let (other, name) = app.account(Role::Operator).await;
        let window = &admin.window;
        window.goes_to("/admin/accounts").await;
        admin.signs_in().await;
        window.arrives_at("/admin/accounts").await;
        window.looks_at("accounts").await;
        window.clicks(".fold summary").await;
        window.types("#username", "Wilhelmina 王芳").await;
        window.types("#password", "short").await;
        window.clicks(".fold button").await;
        window.sees("#password-fault", "A password has at least 8 characters.").await;
        window.looks_at("accounts-faults").await;

        window.types("#q", &name.to_uppercase()).await;
        window.clicks(".filters button").await;
        window.sees("tbody a", &name).await;
        window.clicks("tbody a").await;
        window.arrives_at(&format!("/admin/accounts/{other}")).await;
        window.looks_at("account").await;
        window.clicks("#disable summary").await;
        window.looks_at("account-closing").await;
        window.clicks("#disable form button").await;
        window.sees("[role=status]", "The account is closed.").await;
        window.looks_at("account-closed").await;
        window.goes_to(&format!("/admin/accounts/{}", admin.id)).await;
        window.looks_at("account-own").await;
        admin.has_no_complaint().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_changes_the_password_and_signs_out_everywhere() {
    let app = App::start_with(Plan { no_worker: true, ..Plan::default() }).await;
    for (setting, way) in [(Setting::DESK, "a.who"), (Setting::PHONE, "a.to-account")] {
        let person = Person::signed_in(&app, setting).await;
        let window = &person.window;
        window.clicks(way).await;
        window.arrives_at("/account").await;
        window.looks_at("own-account").await;
        for (current, seen) in [("wrong horse", "#current-fault"), (PASSWORD, "[role=status]")] {
            window.types("#current", current).await;
            window.types("#new", "another horse").await;
            window.types("#again", "another horse").await;
            window.clicks(SUBMIT).await;
            let told = match current {
                PASSWORD => {
                    "Your password is changed. All other sessions of your account are over."
                }
                _ => "This is not your present password.",
            };
            window.sees(seen, told).await;
            window
                .looks_at(&format!("own-account{}", seen.replace(['#', '[', ']', '='], "-")))
                .await;
        }
        window.clicks("form[action='/account/end-sessions'] button").await;
        window.arrives_at("/login").await;
        person.has_no_complaint().await;
    }
}
