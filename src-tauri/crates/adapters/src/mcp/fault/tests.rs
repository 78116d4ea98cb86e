use super::*;
use rmcp::model::ErrorCode;
use signalbox_ports::Secret;

#[test]
fn a_status_says_whether_the_tool_may_have_done_its_work() {
    use ToolFault as F;
    for (status, fault) in [
        (401, F::Auth),
        (403, F::Auth),
        (404, F::HttpStatus),
        (408, F::Timeout),
        (422, F::BadArguments),
        (429, F::RateLimit),
        (500, F::Broken),
        (502, F::Broken),
        (503, F::Unavailable),
        (504, F::Timeout),
        (529, F::RateLimit),
        (599, F::Broken),
    ] {
        assert_eq!(of_status(status).fault, fault, "{status}");
    }
}

#[test]
fn words_of_a_server_are_cleaned_before_they_are_cut() {
    let scrubber = Scrubber::default();
    scrubber.add("erp", None, &Secret::new("canary-value"));
    let said = format!("{}canary-value", "x".repeat(WORDS - 6));
    let told = of_server(&ErrorData::new(ErrorCode(-32603), said, None), &scrubber);
    assert!(told.message.ends_with("[secre") && !told.message.contains("canary"), "{}", told.message);
}
