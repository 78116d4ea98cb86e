use super::pair;
use std::time::Duration;

#[tokio::test]
async fn an_answer_is_waited_for_on_the_thread_or_awaited() {
    let (giver, answer) = pair();
    let thread = std::thread::spawn(move || giver.give(7));
    answer.wait(Duration::from_secs(60));
    assert_eq!(answer.await, Some(7));
    thread.join().expect("ends");

    let (giver, answer) = pair();
    answer.wait(Duration::ZERO);
    let task = tokio::spawn(answer);
    tokio::task::yield_now().await;
    giver.give(8);
    assert_eq!(task.await.expect("ends"), Some(8));
}

#[tokio::test]
async fn a_giver_that_goes_is_noticed() {
    let (giver, answer) = pair::<u8>();
    drop(giver);
    answer.wait(Duration::from_secs(60));
    assert_eq!(answer.await, None);
}
