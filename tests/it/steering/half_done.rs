//! A change that was cut off between ledger and gate: the gate follows by itself.

use std::time::Duration;

use seckill::gate::keys::Keys;
use seckill::ledger::activities::{self, locked, plan, stock};
use seckill::sale::activity::Status;
use seckill::sale::ids::Bucket;
use seckill::sale::money::Cents;
use seckill::sale::plan::Plan as Terms;

use super::{admin, edit};
use crate::harness::{App, SOON, Sale, eventually};

/// What the issue allows.
const A_MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_ledger_says_and_the_gate_was_never_told_is_made_good() {
    let app = App::start().await;
    let paused = app.sale(Sale::of(5)).await;
    let cheaper = app.sale(Sale::of(5)).await;
    let unfilled = app.draft(Sale::of(5)).await;
    let raised = app.sale(Sale::of(1)).await;
    let shoppers = app.shoppers(4).await;
    let fence = async |sale| locked::take_fence(&app.ledger, sale).await.unwrap();
    let turn = async |sale, from: &'static [Status], to| {
        let fence = fence(sale).await;
        locked::set_status(&app.ledger, sale, from, to, fence, admin()).await.unwrap();
    };

    turn(paused, &[Status::Scheduled], Status::Paused).await;
    turn(unfilled, &[Status::Draft], Status::Scheduled).await;
    let before = activities::get(&app.ledger, cheaper).await.unwrap().unwrap();
    let terms = Terms { price: Cents(100), ..Terms::of(&before) };
    let fence_of_edit = fence(cheaper).await;
    let (version, product) = (before.version, before.product.id);
    plan::edit(&app.ledger, cheaper, fence_of_edit, version, product, terms, admin())
        .await
        .unwrap();
    let fence_of_raise = fence(raised).await;
    stock::raise_stock(&app.ledger, raised, fence_of_raise, "cut off".into(), 2, admin())
        .await
        .unwrap();

    eventually("the gate is paused", A_MINUTE, || async {
        let seen = app.gate.inspect(&Keys::of(paused, Bucket(0))).await.ok()?;
        let told = app.office.read(paused).await.unwrap().version;
        (seen.version == told).then_some(())
    })
    .await;
    assert_eq!(shoppers[0].buy(paused).await.outcome(), "paused");
    eventually("the new sale can be bought", A_MINUTE, || async {
        (shoppers[0].buy(unfilled).await.outcome() == "admitted").then_some(())
    })
    .await;
    let keys = Keys::of(cheaper, Bucket(0));
    eventually("the gate has the new price", A_MINUTE, || async {
        let seen = app.gate.inspect(&keys).await.ok()?;
        (seen.version > version).then_some(())
    })
    .await;
    let number = shoppers[1].must_buy(cheaper).await;
    let order = shoppers[1].order_becomes(&number, "pending_payment").await;
    assert_eq!(order.json()["amount"], 100);
    eventually("the gate has the new units", A_MINUTE, || async {
        (app.balance(raised).await.gate_stock == Some(3)).then_some(())
    })
    .await;
    for shopper in &shoppers[1..] {
        shopper.must_buy(raised).await;
    }
    assert_eq!(shoppers[0].buy(raised).await.outcome(), "sold_out");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_is_brought_forward_opens_the_sale() {
    let app = App::start().await;
    let sale = app.sale(Sale::of(2).opening_in(Duration::from_secs(3600 / 2))).await;
    let shopper = app.shopper().await;
    assert_eq!(shopper.buy(sale).await.outcome(), "not_open");
    edit(&app.office, sale, |terms| terms.starts_at = chrono::Utc::now()).await.unwrap();
    eventually("it opens", SOON, || async {
        (shopper.buy(sale).await.outcome() == "admitted").then_some(())
    })
    .await;
}
