//! Two admins at one activity: the second is told what the first did, and can go on.

use super::{App, Form, address, admin, input, notice, product, row, step, step_on, version};
use crate::harness::Sale;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_of_two_who_edit_is_told_what_the_first_changed_and_can_go_on() {
    let app = App::start().await;
    let (ann, bob) = (admin(&app).await, admin(&app).await);
    let id = Form::new(&product(&app, "Kettle").await).create(&ann).await;
    let path = format!("{}/edit", address(id));
    let (of_ann, of_bob) = (ann.browser.get(&path).await, bob.browser.get(&path).await);

    let form = Form::of(&of_ann).with("price", "17.50").with("title", "Ann's <b>");
    assert_eq!(form.send(&ann, &path).await.status, 303);
    let told = Form::of(&of_bob).with("stock", "75").with("price", "18").send(&bob, &path).await;
    assert_eq!(told.status, 409);
    let (_, changed) = told.text.split_once("id=\"changed\"").expect("what was changed");
    let changed = changed.split("</table>").next().unwrap();
    assert_eq!(changed.matches("<tr>").count(), 3, "title and price alone: {changed}");
    assert!(changed.contains("Ann&#39;s &#60;b&#62;") && changed.contains("Kettles at noon"));
    assert!(changed.contains("¥19.99") && changed.contains("¥17.50"));
    assert_eq!(changed.matches("class=\"fault\"").count(), 1, "he meant another price: {changed}");
    // What he typed is kept, what he left alone is hers by now, and nothing was saved.
    assert_eq!(input(&told, "stock").as_deref(), Some("75"));
    assert_eq!(input(&told, "price").as_deref(), Some("18"));
    assert_eq!(input(&told, "title").as_deref(), Some("Ann's <b>"));
    let stored = format!(
        "SELECT CONCAT_WS(' ', title, price_cents, total_stock) AS text FROM activities WHERE id = {id}"
    );
    assert_eq!(row(&app, &stored), "Ann's <b> 1750 50");
    // Saving again is his to decide.
    assert!(told.text.contains("Save with my values"));
    let again = Form::of(&told).send(&bob, &path).await;
    assert_eq!(again.status, 303, "{}", again.text);
    assert_eq!(row(&app, &stored), "Ann's <b> 1800 75");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sale_that_is_published_or_over_meanwhile_is_told_as_well() {
    let app = App::start().await;
    let (ann, bob) = (admin(&app).await, admin(&app).await);
    let id = Form::new(&product(&app, "Kettle").await).create(&ann).await;
    let path = format!("{}/edit", address(id));
    let opened = bob.browser.get(&path).await;
    assert_eq!(step(&ann, id, "schedule").await.status, 303);
    let fixed = Form::of(&opened).with("stock", "51").send(&bob, &path).await;
    assert_eq!(fixed.status, 422, "the stock is fixed by now");
    let told = Form::of(&opened).with("price", "18").send(&bob, &path).await;
    assert_eq!(told.status, 409);
    assert!(told.text.contains("Draft") && told.text.contains("Scheduled"), "{}", told.text);
    assert_eq!(Form::of(&told).send(&bob, &path).await.status, 303);

    let opened = bob.browser.get(&path).await;
    assert_eq!(step(&ann, id, "cancel").await.status, 303);
    let over = Form::of(&opened).send(&bob, &path).await;
    assert_eq!(over.status, 409);
    assert!(notice(&over).contains("this activity is over"), "{}", over.text);
    assert_eq!(bob.browser.get(&path).await.status, 409);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_on_an_old_page_is_not_taken_and_offered_again() {
    let app = App::start().await;
    let (ann, bob) = (admin(&app).await, admin(&app).await);
    let id = app.sale(Sale::of(5)).await;
    let old = version(&bob.browser.get(&address(id)).await);
    assert_eq!(step(&ann, id, "pause").await.status, 303);

    let told = step_on(&bob, id, "end", &old, &[]).await;
    assert_eq!(told.status, 409);
    assert!(notice(&told).contains("somebody else changed"), "{}", told.text);
    assert!(told.text.contains(&format!("action=\"{}/end\"", address(id))), "it can still end");
    assert!(told.text.contains(&format!("action=\"{}/resume\"", address(id))));
    let present = version(&told);
    let wrong = step_on(&bob, id, "pause", &present, &[]).await;
    assert_eq!((wrong.status, notice(&wrong).contains("no longer possible")), (409, true));
    assert_eq!(step_on(&bob, id, "end", &present, &[]).await.status, 303);
    for gone in ["pause", "resume", "end", "cancel", "schedule"] {
        let page = step(&ann, id, gone).await;
        assert_eq!(page.status, 409, "{gone}: {}", page.text);
        assert!(!notice(&page).is_empty(), "{gone}: {}", page.text);
    }
}
