use crate::support::{commit, count, delete, end, event, new_run, started, temporary};
use signalbox_model::call_progress::{LlmDone, LlmError, LlmUsage};
use signalbox_model::event::Telemetry;
use signalbox_model::{ErrorType, EventBody, RunEvent};
use signalbox_store::NewRun;

fn usage(input_tokens: u64, output_tokens: u64) -> LlmUsage {
    LlmUsage { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens, estimated: false }
}

fn done(run: &str, seq: u64, node: &str, cost_micros: Option<u64>) -> RunEvent {
    let body = LlmDone {
        latency_ms: 5,
        finish_reason: "stop".into(),
        model: "small-1".into(),
        usage: usage(100, 20),
        thinking_tokens: Some(3),
        has_tool_use: false,
        provider: Some("house".into()),
        cost_micros,
    };
    event(run, seq, Some(node), Telemetry::LlmDone(body).into())
}

fn failed(run: &str, seq: u64, node: &str, answered: bool) -> RunEvent {
    let body = LlmError {
        error: "No".into(),
        error_type: ErrorType::ValidationError,
        code: "NON_JSON".into(),
        retryable: false,
        latency_ms: 5,
        model: answered.then(|| "small-1".into()),
        usage: answered.then(|| usage(7, 1)),
        thinking_tokens: None,
        provider: answered.then(|| "house".into()),
        cost_micros: answered.then_some(11),
    };
    event(run, seq, Some(node), Telemetry::LlmError(body).into())
}

#[test]
fn what_models_cost_is_summed_up_with_the_events_that_tell_it() {
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    store
        .commit(commit("r", &owner, vec![done("r", 2, "ask", Some(600)), done("r", 3, "ask", Some(40))]))
        .expect("commits");
    // What was answered before a call failed is paid; a question that nobody answered is not.
    let more = vec![failed("r", 4, "ask", true), failed("r", 5, "ask", false), done("r", 6, "other", None)];
    store.commit(commit("r", &owner, more)).expect("commits");

    let rows = store.usage_of_run("r").expect("reads");
    let told: Vec<_> = rows.iter().map(|row| (row.of.as_str(), row.provider.as_str(), row.sums)).collect();
    assert_eq!(told.len(), 2);
    let (step, provider, sums) = told[0];
    assert_eq!((step, provider, sums.calls, sums.cost_micros, sums.unpriced), ("ask", "house", 3, 651, 0));
    assert_eq!((sums.input, sums.output, sums.thinking), (207, 41, 6));
    assert_eq!((told[1].0, told[1].2.cost_micros, told[1].2.unpriced), ("other", 0, 1));
    assert_eq!(store.spent_by_run("r").expect("reads"), 651);

    let other = store.create_run(NewRun { workflow_id: "wf-2".into(), ..new_run("r2") }).expect("is created");
    store.commit(commit("r2", &other, vec![done("r2", 2, "ask", Some(9))])).expect("commits");
    let days = store.usage_of_days("2026-01-01").expect("reads");
    let day = days[0].of.clone();
    assert_eq!(days.iter().map(|row| row.sums.cost_micros).sum::<u64>(), 660);
    assert_eq!(store.spent_on_day(&day, None).expect("reads"), 660);
    assert_eq!(store.spent_on_day(&day, Some("wf-2")).expect("reads"), 9);
    assert_eq!(store.spent_on_day("2020-01-01", None).expect("reads"), 0);
    assert_eq!(store.usage_of_days("9999-01-01").expect("reads"), []);

    // A deleted run takes its own sums along; what the day cost stays.
    end(&store, "r", &owner, 7);
    delete(&store, "r").expect("is deleted");
    assert_eq!(store.usage_of_run("r").expect("reads"), []);
    assert_eq!(count(folder.path(), "SELECT count(*) FROM llm_run WHERE run = 'r'"), 0);
    assert_eq!(store.spent_on_day(&day, None).expect("reads"), 660);
}

#[test]
fn a_commit_that_is_refused_adds_nothing() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    store.commit(commit("r", &owner, vec![done("r", 2, "ask", Some(600))])).expect("commits");
    store.commit(commit("r", &owner, vec![done("r", 2, "ask", Some(600))])).expect_err("that event stands already");
    assert_eq!(store.spent_by_run("r").expect("reads"), 600);
}

/// A provider may count what it likes: the run goes on, and the next question of the day is written.
#[test]
fn counts_beyond_measure_stop_at_a_limit_and_stop_no_run() {
    let (_folder, store) = temporary();
    let owner = started(&store, "r");
    for seq in 2..10 {
        let mut event = done("r", seq, "ask", Some(u64::MAX));
        if let EventBody::Telemetry(Telemetry::LlmDone(body)) = &mut event.body {
            body.usage =
                LlmUsage { input_tokens: u64::MAX, output_tokens: 1 << 62, total_tokens: u64::MAX, estimated: false };
        }
        store.commit(commit("r", &owner, vec![event])).expect("commits");
    }
    let sums = store.usage_of_run("r").expect("reads")[0].sums;
    assert_eq!((sums.calls, sums.input, sums.cost_micros), (8, 8 << 40, 8 << 40));
    assert_eq!(store.spent_by_run("r").expect("reads"), 8 << 40);
}

/// A suggestion is asked by a person: it costs, and belongs to no run and no workflow.
#[test]
fn what_no_run_has_asked_is_in_the_sum_of_its_day() {
    let (_folder, store) = temporary();
    for _ in 0..2 {
        let told = done("r", 2, "ask", Some(600)).body;
        store.usage_without_run("2026-11-22T10:00:00.000Z", &told).expect("is added");
    }
    let told = failed("r", 2, "ask", false).body;
    store.usage_without_run("2026-11-22T10:00:00.000Z", &told).expect("nothing to add");
    let days = store.usage_of_days("2026-11-22").expect("reads");
    assert_eq!((days.len(), days[0].workflow.as_str(), days[0].sums.calls), (1, "", 2));
    assert_eq!(store.spent_on_day("2026-11-22", None).expect("reads"), 1_200);
    assert_eq!(store.spent_on_day("2026-11-22", Some("wf")).expect("reads"), 0);
}
