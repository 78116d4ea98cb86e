//! `trigger.mail` against Debian's Dovecot, with the clock of the test. One test per server: starting it takes longer than all
//! of it.

use super::*;
use crate::dto::{SecretKind, SecretSet};
use signalbox_testkit::mail_host::{MailHost, PASSWORD, USER};
use std::time::{Duration, SystemTime};

fn watching(host: &MailHost, more: Value) -> Value {
    let config = host.imap(more);
    json!({
        "signalbox": 1, "id": "daily", "name": "Mail",
        "nodes": { "t": { "type": "trigger.mail", "config": config }, "a": { "type": "flow.noop" } },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

fn message(id: &str, subject: &str) -> Vec<u8> {
    format!(
        "From: Ada <ada@example.com>\r\nTo: shop@example.com\r\nSubject: {subject}\r\nMessage-ID: <{id}@example.com>\r\n\
         Date: Mon, 30 Nov 2026 07:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
         --b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: text/csv; name=a.csv\r\n\
         Content-Disposition: attachment; filename=a.csv\r\n\r\na;b\r\n--b--\r\n"
    )
    .into_bytes()
}

/// Delivers a message; one with a larger number was received ten seconds later.
fn deliver(host: &MailHost, number: u64, id: &str, subject: &str) {
    let received = SystemTime::now() - Duration::from_secs(1_000 - 10 * number);
    host.deliver_at(id, &message(id, subject), received);
}

impl Place {
    fn keeps_password(&self) {
        self.keeps("mailbox", USER, PASSWORD, "localhost");
    }

    /// Keeps a password as a secret for one host.
    pub(super) fn keeps(&self, name: &str, user: &str, password: &str, host: &str) {
        let file = self._folder.path().join("key");
        if !file.exists() {
            let chosen = json!({ "key": "file", "identityFile": file.display().to_string() });
            let chosen = serde_json::from_value(chosen).expect("a choice");
            let terminal = Caller::terminal(None).expect("a person");
            crate::commands::secret_choose(&self.app, &terminal, chosen).expect("is chosen");
        }
        let request = SecretSet {
            name: name.into(),
            kind: SecretKind::Basic,
            field: Some(user.into()),
            region: None,
            service: None,
            host_key: None,
            oauth: None,
            hosts: vec![host.into()],
            value: serde_json::from_value(json!(password)).expect("a secret"),
        };
        crate::commands::secret_set(&self.app, &Caller::here(), request).expect("is kept");
    }

    /// Looks at the source until a look that was begun has ended, and deals with what it gave.
    pub(super) fn looks(&mut self, after: i64) {
        self.at(after);
        self.scheduler.hear_watched(self.app.trigger_host());
        self.at(after);
    }

    /// Subjects of the messages that started runs, in the order of the runs.
    fn subjects(&self) -> Vec<String> {
        let mut rows = self.app.store.trigger_firings("daily.t", 10_000).expect("reads");
        rows.retain(|row| row.run.is_some());
        rows.sort_by_key(|row| (row.fired_ms, row.run.clone()));
        let subject = |row: FiringRow| {
            let output = self.whole_output(&row.run.unwrap_or_default());
            output[0]["subject"].as_str().unwrap_or_default().to_owned()
        };
        rows.into_iter().map(subject).collect()
    }

    fn mailbox_problem(&self) -> Option<String> {
        self.app.store.trigger("daily.t").expect("reads").expect("is active").problem
    }
}

#[test]
fn messages_start_one_run_each() {
    let host = MailHost::start();
    let mut place = place();
    place.keeps_password();
    deliver(&host, 1, "old", "Old");
    let settings = json!({ "attachments": true, "after": "seen_move", "moveTo": "Done/Größe" });
    let document = watching(&host, settings.clone());
    place.ok(document.clone());
    place.looks(0);
    assert_eq!((place.mailbox_problem(), place.subjects()), (None, vec![]), "what was there is left out");
    // The look that has begun waits, and the server tells of it.
    place.at(MINUTE / 2);
    deliver(&host, 2, "one", "One");
    place.looks(MINUTE);
    assert_eq!(place.subjects(), ["One"], "{:?} {}", place.mailbox_problem(), host.logs());
    let run = place.firings().pop().and_then(|row| row.run).expect("a run");
    let output = place.whole_output(&run);
    assert_eq!(output[0]["attachments"][0]["binary"], "attachment_1", "{output:?}");
    assert_eq!(output[0]["text"], "Hello");
    // It dies after the run was created and before the message is moved.
    place.scheduler = Scheduler::default();
    assert_eq!(host.kept(".Done.Gr&APYA3w-e").len(), 0);
    place.looks(2 * MINUTE);
    assert_eq!(
        (place.subjects(), host.kept(".Done.Gr&APYA3w-e").len()),
        (vec!["One".to_owned()], 1),
        "{}",
        host.logs()
    );
    // Paused, and meanwhile two arrive.
    place.app.deactivate(&Caller::here(), "daily").expect("is off");
    place.at(3 * MINUTE);
    deliver(&host, 3, "two", "Two");
    deliver(&host, 4, "three", "Three");
    place.ok(document);
    place.looks(4 * MINUTE);
    let mut subjects = place.subjects();
    subjects.sort();
    assert_eq!(subjects, ["One", "Three", "Two"]);
    place.looks(5 * MINUTE);
    assert_eq!(host.kept(".Done.Gr&APYA3w-e").len(), 3);

    // Numbered anew while nobody looked: what was taken starts nothing again, what is new does.
    place.ok(watching(&host, json!({ "existing": "process" })));
    place.scheduler = Scheduler::default();
    place.at(6 * MINUTE);
    deliver(&host, 5, "four", "Four");
    place.looks(7 * MINUTE);
    assert_eq!(place.subjects().len(), 4, "{:?}", place.subjects());
    place.scheduler = Scheduler::default();
    host.renumber();
    deliver(&host, 6, "five", "Five");
    place.looks(8 * MINUTE);
    place.at(9 * MINUTE);
    let mut subjects = place.subjects();
    subjects.sort();
    assert_eq!(subjects, ["Five", "Four", "One", "Three", "Two"], "{:?} {}", place.mailbox_problem(), host.logs());
    let skipped: Vec<String> = place.firings().into_iter().filter_map(|row| row.reason).collect();
    assert_eq!(skipped, ["UIDVALIDITY_CHANGED"]);

    // A missing mailbox is reported, and looked at again.
    place.ok(watching(&host, json!({ "mailbox": "Orders" })));
    place.looks(10 * MINUTE);
    let problem = place.mailbox_problem().expect("a problem");
    assert!(problem.contains("MAILBOX_MISSING") && !problem.contains(PASSWORD), "{problem}");
}
