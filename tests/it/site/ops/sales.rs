//! The books of sales.

use seckill::sale::ids::ActivityId;

use super::*;

/// The cells of a sale's row, the difference last; and what stands at its name.
fn figures(text: &str, sale: ActivityId) -> Vec<String> {
    let row = text.split_once(&format!("id=\"sale-{sale}\"")).expect("the sale").1;
    let row = row.split("</tr>").next().unwrap();
    let cells = row.split("<td").skip(1).map(|cell| cell.split_once('>').unwrap().1);
    cells.map(|cell| cell.split("</td").next().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_books_of_each_sale_stand_beside_the_gates() {
    let app = App::start_with(Plan { unbalanced: true, ..Plan::default() }).await;
    let sale = app.sale(Sale { title: "<b>Pots</b>".into(), ..Sale::of(5) }).await;
    let shoppers = app.shoppers(3).await;
    let mut orders = Vec::new();
    for shopper in &shoppers {
        let order = shopper.must_buy(sale).await;
        shopper.order_becomes(&order, "pending_payment").await;
        orders.push(order);
    }
    shoppers[0].pay(&orders[0]).await;
    shoppers[1].cancel(&orders[1]).await;
    let operator = operator(&app).await;
    let right = eventually("the orders are counted", SOON, || async {
        let text = page(&operator, "/ops/sales").await;
        assert!(!text.contains("<b>Pots"));
        let figures = figures(&text, sale);
        (figures[..8] == ["5", "2", "1", "1", "1", "3", "3 + 2", "0"]).then_some(figures)
    })
    .await;
    assert!(right[8].contains("class=\"right\">0<"), "{right:?}");
    // A unit vanishes behind everybody's back.
    execute(&app, &format!("UPDATE activities SET remain_stock = 2 WHERE id = {sale}"));
    eventually("the difference shows", SOON, || async {
        let figures = figures(&page(&operator, "/ops/sales").await, sale);
        let shown =
            figures[8].contains("ledger 1, gate 0") && figures[8].contains("/ops/reconciliation");
        shown.then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_has_counted_is_left_open_until_a_worker_counts_it() {
    let plan = Plan { unbalanced: true, no_worker: true, ..Plan::default() };
    let mut app = App::start_with(plan).await;
    let (live, over, settled) =
        (app.sale(Sale::of(5)).await, app.sale(Sale::of(5)).await, app.sale(Sale::of(7)).await);
    let (shopper, operator) = (app.shopper().await, operator(&app).await);
    execute(&app, &super::indexes::generated(live, shopper.id, 30));
    execute(
        &app,
        &format!(
            "UPDATE orders SET activity_id = {over} WHERE id % 3 = 1; \
             UPDATE orders SET activity_id = {settled} WHERE id % 3 = 2; \
             UPDATE activities SET status = 'settled' WHERE id IN ({over}, {settled}); \
             UPDATE activities SET remain_stock = 3 WHERE id = {settled}; \
             INSERT INTO settlements (activity_id, total_stock, remain_stock, participants, paid, \
             cancelled, rejected, lost) VALUES ({settled}, 7, 3, 30, 4, 10, 0, 0)"
        ),
    );
    let text = page(&operator, "/ops/sales").await;
    // The units are known at once, the orders are not guessed.
    let open = ["5", "0", "–", "–", "–", "5", "5 + 0", "0", "–"];
    assert_eq!(figures(&text, live), open);
    assert_eq!(figures(&text, over), ["5", "0", "–", "–", "–", "5", "–", "–", "–"]);
    assert_eq!(text.matches("a worker is still to count its orders").count(), 2);
    let right = figures(&text, settled);
    assert_eq!(right[..6], ["7", "4", "4", "0", "10", "3"]);
    assert!(right[8].contains("class=\"right\">0<"), "{right:?}");
    app.start_worker().await;
    for (sale, cancelled) in [(live, "0"), (over, "10")] {
        eventually("a worker counts", SOON, || async {
            let figures = figures(&page(&operator, "/ops/sales").await, sale);
            let counted = figures[2..5] == ["0", "0", cancelled] && figures[8].contains(">0<");
            counted.then_some(())
        })
        .await;
    }
    // Nothing may change after the settlement.
    execute(&app, &format!("UPDATE activities SET remain_stock = 2 WHERE id = {settled}"));
    let text = page(&operator, "/ops/sales").await;
    assert!(figures(&text, settled)[8].contains("ledger 1, gate 0"), "{text}");
}
