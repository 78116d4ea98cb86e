//! State machines of the Amazon States Language.

use serde_json::{Value, json};
use signalbox_import::{Format, Imported, Level, Options, import, recognise};

fn read(machine: &Value) -> Imported {
    assert_eq!(recognise(&machine.to_string()), Some(Format::Asl));
    let catalog = signalbox_nodes::built_in().clone();
    let imported = import(&machine.to_string(), &Options::default()).unwrap_or_else(|refused| panic!("{refused}"));
    imported.checked(&catalog)
}

fn codes(imported: &Imported, level: Level) -> Vec<String> {
    imported
        .report
        .findings
        .iter()
        .filter(|found| found.level == level)
        .map(|found| format!("{}: {}", found.code, found.message))
        .collect()
}

#[test]
fn every_type_of_state_becomes_steps_that_are_valid() {
    let imported = read(&json!({
        "Comment": "Orders", "StartAt": "Prepare", "States": {
            "Prepare": { "Type": "Pass", "Parameters": { "id.$": "$.order.id", "label.$": "States.Format('No. {}', $.order.id)", "lines.$": "$.order.lines[*].price" }, "ResultPath": "$.prepared", "Next": "Check" },
            "Check": { "Type": "Choice", "Choices": [
                { "And": [{ "Variable": "$.order.total", "NumericGreaterThan": 100 }, { "Not": { "Variable": "$.order.kind", "StringEquals": "test" } }], "Next": "Call" },
                { "Variable": "$.order.kind", "StringMatches": "te*", "Next": "Wait" },
            ], "Default": "Bad" },
            "Call": { "Type": "Task", "Resource": "arn:aws:states:::http:invoke", "Parameters": { "ApiEndpoint": "https://a.example/orders", "Method": "POST", "RequestBody": { "id.$": "$.order.id" } },
                "ResultSelector": { "status.$": "$.StatusCode" }, "ResultPath": "$.answer", "TimeoutSeconds": 20,
                "Retry": [{ "ErrorEquals": ["States.ALL"], "IntervalSeconds": 2, "MaxAttempts": 4, "BackoffRate": 2.0, "MaxDelaySeconds": 30, "JitterStrategy": "FULL" }],
                "Catch": [{ "ErrorEquals": ["States.Timeout"], "ResultPath": "$.error", "Next": "Wait" }, { "ErrorEquals": ["States.ALL"], "Next": "Bad" }], "Next": "Both" },
            "Both": { "Type": "Parallel", "Branches": [
                { "StartAt": "One", "States": { "One": { "Type": "Pass", "Result": 1, "End": true } } },
                { "StartAt": "Two", "States": { "Two": { "Type": "Pass", "Result": { "b": "x" }, "End": true } } },
            ], "ResultPath": "$.both", "Next": "Each" },
            "Each": { "Type": "Map", "ItemsPath": "$.order.lines", "MaxConcurrency": 1, "ItemSelector": { "n.$": "$$.Map.Item.Index", "line.$": "$$.Map.Item.Value", "id.$": "$.order.id" },
                "ItemProcessor": { "ProcessorConfig": { "Mode": "INLINE" }, "StartAt": "Line", "States": { "Line": { "Type": "Pass", "OutputPath": "$.line", "End": true } } }, "ResultPath": "$.lines", "Next": "Ask" },
            "Ask": { "Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "Parameters": { "MessageBody": { "token.$": "$$.Task.Token" } }, "Next": "Wait" },
            "Wait": { "Type": "Wait", "Seconds": 1, "Next": "Good" },
            "Good": { "Type": "Succeed" },
            "Bad": { "Type": "Fail", "Error": "Orders.Bad", "Cause": "No good order" },
        },
    }));
    assert!(codes(&imported, Level::Problem).is_empty(), "{:#?}", codes(&imported, Level::Problem));
    let nodes = &imported.workflow.nodes;
    let kinds = ["Call_task", "Both_branches", "Each_each", "Ask_task", "Wait_wait", "Bad", "Check"]
        .map(|id| nodes[id].kind.as_str());
    assert_eq!(
        kinds,
        ["http.request", "flow.parallel", "flow.loop", "builtin.human_form", "flow.wait", "flow.fail", "flow.switch"]
    );
    let retry = nodes["Call_task"].error_handling.as_ref().and_then(|all| all.retry_policy.clone()).expect("a policy");
    assert_eq!(
        (retry.max_attempts, retry.initial_delay_ms, retry.max_delay_ms, retry.jitter),
        (4, 2_000, 30_000, true)
    );
    assert_eq!(nodes["Call_task"].timeout_ms, Some(20_000));
    let prepared = nodes["Prepare_in"].config.as_ref().expect("settings")["expression"].clone();
    assert_eq!(
        prepared,
        "{'id': item.order.id, 'label': 'No. ' + (type(item.order.id) == string ? item.order.id : json(item.order.id)), 'lines': item.order.lines.map(x, x.price)}"
    );
    assert_eq!(
        nodes["Prepare"].config.as_ref().expect("settings")["expression"],
        "put(nodes.Prepare_start.output, ['prepared'], item)"
    );
}

#[test]
fn jsonata_is_translated_where_it_is_plain() {
    let imported = read(&json!({
        "QueryLanguage": "JSONata", "StartAt": "A", "States": {
            "A": { "Type": "Pass", "Output": { "sum": "{% $sum($states.input.prices) %}", "text": "{% 'No. ' & $states.input.id %}", "big": "{% $states.input.n > 5 and $states.input.ok = true ? 'yes' : 'no' %}" }, "Assign": { "n": "{% $states.input.n %}" }, "Next": "B" },
            "B": { "Type": "Choice", "Choices": [{ "Condition": "{% $states.input.sum >= 10 %}", "Next": "C" }], "Default": "D" },
            "C": { "Type": "Succeed", "Output": "{% $n %}" },
            "D": { "Type": "Pass", "Output": "{% $states.input.rows[price > 10].name %}", "End": true },
        },
    }));
    assert_eq!(imported.workflow.context.as_ref().and_then(|all| all.initial.as_ref()).map(|all| all.len()), Some(1));
    let text = imported.workflow.nodes["A"].config.as_ref().expect("settings")["expression"].clone();
    assert_eq!(
        text,
        "{'sum': nodes.A_start.output.prices.sum(), 'text': 'No. ' + (type(nodes.A_start.output.id) == string ? nodes.A_start.output.id : json(nodes.A_start.output.id)), \
         'big': coalesce(nodes.A_start.output.n > 5, false) && coalesce(nodes.A_start.output.ok) == true ? 'yes' : 'no'}"
    );
    let problems = codes(&imported, Level::Problem);
    assert!(problems.len() == 1 && problems[0].contains("filtered by a condition"), "{problems:?}");
    assert!(json!(imported.workflow.nodes["D"]).to_string().contains("untranslated("));
}

#[test]
fn circles_services_and_broken_machines_are_told() {
    let imported = read(&json!({
        "StartAt": "Poll", "States": {
            "Poll": { "Type": "Task", "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:poll", "Next": "Done" },
            "Done": { "Type": "Choice", "Choices": [{ "Variable": "$.done", "BooleanEquals": true, "Next": "End" }], "Default": "Poll" },
            "End": { "Type": "Succeed" },
        },
    }));
    let problems = codes(&imported, Level::Problem);
    assert!(
        problems.iter().any(|one| one.starts_with("CIRCLE"))
            && problems.iter().any(|one| one.contains("the function 'poll'")),
        "{problems:?}"
    );
    assert!(imported.workflow.nodes.values().any(|step| step.kind == "foreign.step"));
    for (machine, words) in [
        (json!({ "StartAt": "A", "States": {} }), "no states"),
        (json!({ "StartAt": "A", "States": { "B": { "Type": "Succeed" } } }), "names \"A\""),
        (json!({ "StartAt": "A", "States": { "A": 7 } }), "no object"),
        (json!({ "StartAt": "A", "States": { "A": { "Type": "Map", "End": true } } }), "no ItemProcessor"),
    ] {
        let refused = import(&machine.to_string(), &Options::default()).expect_err("refused");
        assert!(refused.message.contains(words), "{refused}");
    }
}

#[test]
fn hostile_machines_are_refused_or_kept_as_text() {
    let refused =
        |text: &str| import(text, &Options { format: Some(Format::Asl), ..Options::default() }).expect_err("refused");
    let whole =
        json!({ "StartAt": "A", "States": { "A": { "Type": "Succeed", "Comment": "x".repeat(50) } } }).to_string();
    assert_eq!(refused(&whole[..whole.len() - 3]).code, "BAD_JSON");
    assert_eq!(refused(&" ".repeat(50 * 1024 * 1024)).code, "TOO_LARGE");
    let mut deep = json!({ "StartAt": "A", "States": { "A": { "Type": "Pass", "End": true } } });
    for _ in 0..14 {
        deep = json!({ "StartAt": "P", "States": { "P": { "Type": "Parallel", "Branches": [deep], "End": true } } });
    }
    assert!(refused(&deep.to_string()).message.contains("12 levels deep"));
    // Nothing of an expression reaches beyond the run: what is no path or known function stays text.
    for expression in [
        "$eval('1')",
        "$states.context.constructor",
        "$lookup($$, 'process')",
        "($f := function($x){$f($x)}; $f(1))",
        "`require`('fs')",
    ] {
        let imported = read(
            &json!({ "QueryLanguage": "JSONata", "StartAt": "A", "States": { "A": { "Type": "Pass", "Output": format!("{{%{expression}%}}"), "End": true } } }),
        );
        let text = json!(imported.workflow.nodes["A"]).to_string();
        assert!(text.contains("untranslated("), "{expression}: {text}");
    }
    for path in ["$..*", "$[?(@.a =~ /(a+)+$/)]", "$.a[(@.length-1)]", "States.Env('HOME')", "$['a", "$.a["] {
        let imported =
            read(&json!({ "StartAt": "A", "States": { "A": { "Type": "Pass", "InputPath": path, "End": true } } }));
        assert!(json!(imported.workflow.nodes).to_string().contains("untranslated("), "{path}");
    }
    // A state type of a later version of the language is a placeholder, and the rest is translated.
    let newer = read(
        &json!({ "Version": "9.0", "StartAt": "A", "States": { "A": { "Type": "Teleport", "Next": "B" }, "B": { "Type": "Succeed" } } }),
    );
    assert!(codes(&newer, Level::Problem).iter().any(|one| one.contains("'Teleport', which is not known")));
    assert!(newer.workflow.nodes.contains_key("B"));
}

/// A later rule never matches: the language wants the rule for all errors last.
#[test]
fn error_rules_behind_the_one_for_all_errors_are_told() {
    let rules = |names: &[&str]| {
        let caught: Vec<Value> = names.iter().map(|name| json!({ "ErrorEquals": [name], "Next": "Report" })).collect();
        let imported = read(&json!({ "StartAt": "Pay", "States": {
            "Pay": { "Type": "Task", "Resource": "arn:aws:states:::http:invoke", "Parameters": { "ApiEndpoint": "https://a.example/", "Method": "GET" }, "Catch": caught, "End": true },
            "Report": { "Type": "Succeed" },
        } }));
        codes(&imported, Level::Warning).into_iter().filter(|one| one.starts_with("CATCH")).collect::<Vec<_>>()
    };
    assert!(rules(&["Declined", "States.ALL"]).is_empty());
    let wanted = "CATCH: \"Pay\" has 3 error rules, and rule 2 takes every error: those after it are left out.";
    assert_eq!(rules(&["Timeout", "States.ALL", "Declined"]), [wanted]);
}

/// The format allows delays of a year and limits of three years, and its editors write the largest ones.
#[test]
fn delays_and_limits_that_are_longer_than_ours_are_shortened_and_told() {
    let file = json!({ "StartAt": "Call", "States": { "Call": {
        "Type": "Task", "Resource": "arn:aws:states:::http:invoke", "TimeoutSeconds": 99_999_999,
        "Parameters": { "ApiEndpoint": "https://a.example/o", "Method": "POST" },
        "Retry": [{ "ErrorEquals": ["States.ALL"], "IntervalSeconds": 99_999_999, "MaxAttempts": 3, "MaxDelaySeconds": 31_622_400 }],
        "End": true,
    } } });
    let imported = import(&file.to_string(), &Options::default()).expect("read");
    let text = serde_json::to_vec(&imported.workflow).expect("JSON");
    let opened = signalbox_engine::validate::read(&text);
    let workflow = opened.workflow.unwrap_or_else(|| panic!("{:?}", opened.diagnostics));
    let call = workflow.nodes.values().find(|node| node.error_handling.is_some()).expect("the call");
    assert_eq!(call.timeout_ms, Some(4_294_967_295));
    let policy = call.error_handling.as_ref().and_then(|handling| handling.retry_policy.as_ref()).expect("retries");
    assert_eq!((policy.initial_delay_ms, policy.max_delay_ms), (86_400_000, 86_400_000));
    let told = |words: &str| imported.report.findings.iter().filter(|found| found.message.contains(words)).count();
    assert_eq!((told("may take 99999999 seconds"), told("waits at most a day")), (1, 2));
}
