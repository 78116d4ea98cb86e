//! What calls tell, on its way into the log.

use futures_util::FutureExt;
use signalbox_model::CallProgress;
use signalbox_model::call_progress::{LlmDelta, LlmToolResult, ToolMessage};
use signalbox_nodes::progress_reporter::ProgressReporter;
use signalbox_ports::{CallLog, Clock, Scrubber, Secret};
use signalbox_testkit::ManualClock;
use std::pin::pin;
use std::sync::{Arc, Mutex};

type Told = Arc<Mutex<Vec<Vec<CallProgress>>>>;

fn speech(scrubber: Scrubber) -> (Arc<ManualClock>, Told, ProgressReporter) {
    let (clock, told) = (Arc::new(ManualClock::default()), Told::default());
    let (time, sink) = (Arc::clone(&clock), Arc::clone(&told));
    let tell = move |said| sink.lock().expect("not poisoned").push(said);
    (clock, told, ProgressReporter::new(time, Arc::new(scrubber), Box::new(tell)))
}

fn token(delta: &str) -> CallProgress {
    CallProgress::LlmToken(LlmDelta::new(delta))
}

fn thinking(delta: &str) -> CallProgress {
    CallProgress::LlmThinking(LlmDelta::new(delta))
}

fn result(content: &str) -> CallProgress {
    CallProgress::LlmToolResult(LlmToolResult { tool_use_id: "t".into(), content: content.into(), is_error: false })
}

fn all(told: &Told) -> Vec<CallProgress> {
    told.lock().expect("not poisoned").concat()
}

#[test]
fn ts_061_pieces_are_put_together_and_stay_in_order() {
    let (_, told, speech) = speech(Scrubber::default());
    let work = async {
        for said in [thinking("h"), thinking("m"), token("a"), token("b"), result("r"), token("c")] {
            speech.say(said);
        }
    };
    speech.over(pin!(work)).now_or_never().expect("nothing waits");
    assert_eq!(all(&told), [thinking("hm"), token("ab"), result("r"), token("c")]);
    assert_eq!(told.lock().expect("not poisoned").len(), 1, "one commit");
}

#[test]
fn an_answer_after_another_one_does_not_run_into_it_not_even_while_it_may_begin_a_secret() {
    let scrubber = Scrubber::default();
    scrubber.add("erp", None, &Secret::new("canary-value"));
    let (clock, told, speech) = speech(scrubber);
    let anew = |delta: &str| CallProgress::LlmToken(LlmDelta { delta: delta.into(), anew: true });
    let work = async {
        for said in [token("a"), token("b"), anew("canary"), token("-yellow"), anew("c")] {
            speech.say(said);
            clock.sleep_until(clock.now_ms() + 200).await;
        }
    };
    let work = pin!(work);
    let mut over = pin!(speech.over(work));
    while over.as_mut().now_or_never().is_none() {
        clock.advance(50);
    }
    assert_eq!(all(&told), [token("a"), token("b"), anew("canary-yellow"), anew("c")]);
}

#[test]
fn a_fast_model_costs_about_ten_commits_a_second() {
    let (clock, told, speech) = speech(Scrubber::default());
    let start = clock.now_ms();
    let work = async {
        // 2,000 pieces in a second.
        for piece in 0..2_000 {
            clock.sleep_until(start + piece / 2).await;
            speech.say(token("word "));
        }
    };
    let work = pin!(work);
    let mut over = pin!(speech.over(work));
    while over.as_mut().now_or_never().is_none() {
        clock.advance(1);
    }
    assert_eq!(all(&told).iter().map(|said| format!("{said:?}").matches("word ").count()).sum::<usize>(), 2_000);
    let commits = told.lock().expect("not poisoned").len();
    assert!((10..=20).contains(&commits), "{commits} commits");
}

#[test]
fn what_waits_is_told_in_time_although_nothing_more_comes() {
    let (clock, told, speech) = speech(Scrubber::default());
    let work = async {
        speech.say(token("a"));
        clock.sleep_until(clock.now_ms() + 1).await;
        speech.say(token("b"));
        std::future::pending::<()>().await;
    };
    let work = pin!(work);
    let mut over = pin!(speech.over(work));
    assert!(over.as_mut().now_or_never().is_none());
    assert_eq!(all(&told), [token("a")], "the first piece at once");
    clock.advance(1);
    assert!(over.as_mut().now_or_never().is_none());
    assert_eq!(all(&told), [token("a")]);
    clock.advance(99);
    assert!(over.as_mut().now_or_never().is_none());
    assert_eq!(all(&told), [token("a"), token("b")]);
}

#[test]
fn ts_166_a_secret_that_comes_in_pieces_is_hidden() {
    let scrubber = Scrubber::default();
    scrubber.add("erp", None, &Secret::new("hunter2hunter2"));
    let (clock, told, speech) = speech(scrubber);
    let work = async {
        for piece in ["the key is hunter", "2hunt", "er2, really", " hunt"] {
            speech.say(token(piece));
            clock.sleep_until(clock.now_ms() + 200).await;
        }
        speech.say(result("{\"key\":\"hunter2hunter2\"}"));
    };
    let work = pin!(work);
    let mut over = pin!(speech.over(work));
    while over.as_mut().now_or_never().is_none() {
        clock.advance(50);
    }
    let told = all(&told);
    let text: String =
        told.iter().map(|said| if let CallProgress::LlmToken(piece) = said { &piece.delta } else { "" }).collect();
    assert_eq!(text, "the key is [secret:erp], really hunt");
    assert_eq!(told.last(), Some(&result("{\"key\":\"[secret:erp]\"}")));
}

#[test]
fn a_tool_that_never_stops_telling_is_not_heard_for_ever() {
    let (_, told, speech) = speech(Scrubber::default());
    let notice = || ToolMessage { name: "t".into(), level: "info".into(), message: "m".into(), data: None };
    let work = async { (0..5_000).for_each(|_| speech.say(CallProgress::ToolMessage(notice()))) };
    speech.over(pin!(work)).now_or_never().expect("nothing waits");
    assert_eq!(all(&told).len(), 1_000);
}
