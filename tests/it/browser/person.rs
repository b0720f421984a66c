//! A person in front of a window: who they are, and the steps they always take.

use seckill::sale::ids::{ActivityId, UserId};
use seckill::sale::shopper::Role;

use super::{Setting, Window};
use crate::harness::App;
use crate::harness::app::PASSWORD;
use crate::harness::shopper::redis_of;

pub(super) const BUY: &str = "#buy";
pub(super) const SUBMIT: &str = "main form button[type=submit]";
pub(super) const PAY: &str = ".panel-pay form button";
pub(super) const PAY_AT_THE_SANDBOX: &str = "button[value=pay]";

#[derive(Debug)]
pub(super) struct Person {
    pub(super) id: UserId,
    pub(super) name: String,
    pub(super) window: Window,
    redis_url: String,
}

impl Person {
    /// Has an account, but is not signed in yet.
    pub(super) async fn new(app: &App, setting: Setting) -> Self {
        Self::of_role(app, Role::Shopper, setting).await
    }

    /// One who may do more.
    pub(super) async fn of_role(app: &App, role: Role, setting: Setting) -> Self {
        let (id, name) = app.account(role).await;
        let window = Window::open(app.url(), setting).await;
        Self { id, name, window, redis_url: app.config.gate.url.reveal().to_owned() }
    }

    pub(super) async fn signed_in(app: &App, setting: Setting) -> Self {
        Self::new(app, setting).await.signs_in_at("/").await
    }

    /// An admin, signed in.
    pub(super) async fn admin(app: &App, setting: Setting) -> Self {
        Self::of_role(app, Role::Admin, setting).await.signs_in_at("/admin/activities").await
    }

    /// An operator, signed in.
    pub(super) async fn operator(app: &App, setting: Setting) -> Self {
        Self::of_role(app, Role::Operator, setting).await.signs_in_at("/ops/orders").await
    }

    async fn signs_in_at(self, home: &str) -> Self {
        self.window.goes_to("/login").await;
        self.signs_in().await;
        self.window.arrives_at(home).await;
        self
    }

    /// Fills in the form to sign in, which is shown.
    pub(super) async fn signs_in(&self) {
        self.window.types("#username", &self.name).await;
        self.window.types("#password", PASSWORD).await;
        self.window.clicks(SUBMIT).await;
    }

    /// Types what the picture shows; only a person can read it, so it is read in the gate.
    pub(super) async fn types_what_the_picture_shows(&self, sale: ActivityId) {
        let key = format!("seckill:ticket:{{{sale}:0}}:{}", self.id);
        let mut gate = redis_of(&self.redis_url).await;
        let answer: String =
            redis::cmd("HGET").arg(key).arg("answer").query_async(&mut gate).await.unwrap();
        self.window.types("#captcha", &answer).await;
    }

    /// From the page of an open sale to the order's page; gives its address.
    pub(super) async fn buys(&self, sale: ActivityId) -> String {
        self.window.clicks(BUY).await;
        self.window.arrives_at(&purchase_of(sale)).await;
        self.types_what_the_picture_shows(sale).await;
        self.window.clicks(SUBMIT).await;
        self.arrives_at_an_order().await
    }

    pub(super) async fn arrives_at_an_order(&self) -> String {
        crate::harness::eventually("the page of an order", crate::harness::SOON, || async {
            Some(self.window.path().await).filter(|path| path.starts_with("/orders/"))
        })
        .await
    }

    /// Nothing went wrong that a person would not see.
    pub(super) async fn has_no_complaint(&self) {
        assert_eq!(self.window.complaints().await, Vec::<String>::new());
    }
}

pub(super) fn page_of(sale: ActivityId) -> String {
    format!("/activities/{sale}")
}

pub(super) fn purchase_of(sale: ActivityId) -> String {
    format!("/activities/{sale}/purchase")
}
