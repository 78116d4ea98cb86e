use super::*;
use signalbox_model::digits;
use signalbox_ports::{NoSecrets, Secrets};
use tokio::io::AsyncReadExt;

async fn through(given: &[u8], limit: usize) -> (String, Option<TooBig>) {
    let secrets: Arc<dyn Secrets> = Arc::new(NoSecrets);
    let board = Arc::new(NotificationRouter::new(&secrets));
    let mut read = String::new();
    Bounded::new(given, limit, Arc::clone(&board)).read_to_string(&mut read).await.expect("text");
    let beyond = board.beyond.get().copied();
    (read, beyond)
}

fn answer(id: u32, structured: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[],\"structuredContent\":{structured}}}}}\n")
}

#[tokio::test]
async fn lines_come_through_as_they_are() {
    let lines =
        [answer(1, "{\"a\":9007199254740993,\"b\":0.1}"), "\n".into(), "not json {\n".into(), "é no end".into()];
    let all = lines.concat().repeat(900);
    assert_eq!(through(all.as_bytes(), 1_000).await, (all, None));
}

#[tokio::test]
async fn an_answer_with_a_number_that_would_become_another_comes_as_an_error() {
    let (first, last) = (answer(1, "{\"a\":1}"), answer(3, "{}"));
    for number in ["12345678901234567890123", "0.12345678901234567891", "1e-400"] {
        let middle = answer(2, &format!("{{\"rows\":[{{\"id\":{number}}}]}}"));
        assert!(digits::lost(&middle).is_some());
        let (read, beyond) = through(format!("{first}{middle}{last}").as_bytes(), 1_000).await;
        let lines: Vec<&str> = read.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2], beyond), (3, first.trim(), last.trim(), None), "{read}");
        let told: serde_json::Value = serde_json::from_str(lines[1]).expect("JSON");
        assert_eq!(told["id"], 2);
        let words = told["error"]["message"].as_str().expect("words");
        assert!(words.contains(&format!("the number {number} at result.structuredContent.rows[0].id ")), "{words}");
    }
}

#[tokio::test]
async fn nothing_comes_behind_a_line_that_is_too_long_or_too_deep() {
    let first = answer(1, "{}");
    let long = answer(2, &format!("\"{}\"", "x".repeat(1_000)));
    assert_eq!(through(format!("{first}{long}{first}").as_bytes(), 1_000).await, (first.clone(), Some(TooBig::Large)));
    let deep = answer(2, &format!("{}{}", "[".repeat(200), "]".repeat(200)));
    assert_eq!(through(format!("{first}{deep}{first}").as_bytes(), 1_000).await, (first, Some(TooBig::Deep)));
}
