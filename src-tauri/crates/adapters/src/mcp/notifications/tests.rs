use super::*;
use async_trait::async_trait;
use rmcp::model::{LoggingMessageNotification, LoggingMessageNotificationParam, ToolListChangedNotification};
use signalbox_ports::{Credential, Secret, SecretError};

/// Knows one secret.
struct Known;

#[async_trait]
impl Secrets for Known {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        Err(SecretError::Missing { message: name.to_owned() })
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        let scrubber = Scrubber::default();
        scrubber.add("erp", None, &Secret::new("canary-value"));
        Arc::new(scrubber)
    }
}

fn board() -> NotificationRouter {
    let secrets: Arc<dyn Secrets> = Arc::new(Known);
    NotificationRouter::new(&secrets)
}

fn ear(board: &NotificationRouter, number: i64) -> mpsc::UnboundedReceiver<Notification> {
    let (sender, heard) = mpsc::unbounded_channel();
    board.listen(&ProgressToken(NumberOrString::Number(number)), sender_of(sender));
    heard
}

fn sender_of(to: mpsc::UnboundedSender<Notification>) -> NotificationSender {
    NotificationSender { to, waits: Arc::default() }
}

fn log(board: &NotificationRouter, data: Value) {
    let told = LoggingMessageNotificationParam::new(LoggingLevel::Info, data);
    board.hear(&ServerNotification::LoggingMessageNotification(LoggingMessageNotification::new(told)));
}

fn next(heard: &mut mpsc::UnboundedReceiver<Notification>) -> ToolNotice {
    match heard.try_recv() {
        Ok(Notification::Notice(notice) | Notification::Progress(notice)) => notice,
        Ok(Notification::Asks(_)) => panic!("a question"),
        Err(error) => panic!("nothing was heard: {error}"),
    }
}

#[test]
fn words_are_cleaned_before_they_are_cut() {
    let board = board();
    let mut heard = ear(&board, 1);
    log(&board, format!("{}canary-value", "x".repeat(WORDS - 6)).into());
    let notice = next(&mut heard);
    assert!(notice.message.ends_with("[secre") && notice.data.is_none(), "{}", notice.message);
}

#[test]
fn data_that_is_too_large_is_left_out_and_that_is_said() {
    let board = board();
    let mut heard = ear(&board, 1);
    log(&board, json!({ "message": "page", "body": "x".repeat(100) }));
    assert!(next(&mut heard).data.is_some());
    log(&board, json!({ "message": "page", "body": "x".repeat(DATA) }));
    let notice = next(&mut heard);
    assert_eq!(notice.data, None);
    assert!(notice.message.starts_with("page (") && notice.message.ends_with("bytes of data left out)"));
}

#[test]
fn who_hears_no_more_is_not_kept() {
    let board = board();
    let (sender, heard) = mpsc::unbounded_channel();
    drop(heard);
    board.listen(&ProgressToken(NumberOrString::Number(1)), sender_of(sender));
    drop(ear(&board, 2));
    let stays = ear(&board, 3);
    log(&board, json!("word"));
    assert_eq!(board.calls().keys().collect::<Vec<_>>(), ["3"]);
    drop(stays);
}

#[test]
fn every_change_of_the_tools_is_counted() {
    let board = board();
    for _ in 0..2 {
        let told = ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default());
        board.hear(&told);
    }
    assert_eq!(board.tools_changed.load(Ordering::SeqCst), 2);
}
