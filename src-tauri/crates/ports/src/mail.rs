//! Mail as steps ask for it: messages sent over SMTP, mailboxes read over IMAP.

mod watch;

pub use watch::{MailPlace, MailWatch, MailWatched, Renumbered};

use crate::secret::Credential;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// How the connection to a mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// TLS from the first byte.
    Tls,
    /// TLS after the command STARTTLS. A server that does not offer it is refused.
    StartTls,
    /// None. To this machine, and to hosts that the credential allows as `http://host`.
    None,
}

/// What is spoken with a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailProtocol {
    /// Messages are sent.
    Smtp,
    /// Mailboxes are read.
    Imap,
}

/// A mail server and how to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct MailServer {
    /// A name or a literal address, without a port.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Encryption.
    pub security: MailSecurity,
    /// Signs in as this user; else as the user of the credential.
    pub user: Option<String>,
    /// The password. Sent to hosts that it allows only, and after the connection is encrypted.
    pub credential: Option<Arc<Credential>>,
    /// Certificate authorities (PEM) to trust instead of those of the system.
    pub ca: Option<String>,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
    /// Loopback addresses are allowed for this call (TRUST, SSRF).
    pub loopback_allowed: bool,
}

/// Somebody who sends or receives mail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailAddress {
    /// The name that is shown.
    pub name: Option<String>,
    /// `local@domain`.
    pub address: String,
}

/// A file that goes along with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFile {
    /// File name.
    pub name: String,
    /// Media type, `type/subtype`.
    pub media: String,
    /// Of a picture inside the HTML text: what `cid:` names. Other files have none.
    pub content_id: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A message to send. No text in it has line breaks or other control characters but `text` and `html`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutgoingMail {
    /// Message-ID without angle brackets; the same for a repeated call.
    pub message_id: String,
    /// Milliseconds since 1970.
    pub date_ms: i64,
    /// Sender.
    pub from: MailAddress,
    /// Recipients.
    pub to: Vec<MailAddress>,
    /// Recipients of a copy.
    pub cc: Vec<MailAddress>,
    /// Recipients whom the others do not see.
    pub bcc: Vec<MailAddress>,
    /// Where answers go, instead of the sender.
    pub reply_to: Vec<MailAddress>,
    /// Subject.
    pub subject: String,
    /// Plain text.
    pub text: Option<String>,
    /// HTML text.
    pub html: Option<String>,
    /// Files and inline pictures.
    pub files: Vec<MailFile>,
    /// Message-ID that this answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// Message-IDs of the thread, oldest first, without angle brackets.
    pub references: Vec<String>,
}

/// A recipient whom the server does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecipient {
    /// `local@domain`.
    pub address: String,
    /// SMTP reply code.
    pub code: u16,
    /// What the server says.
    pub message: String,
}

impl RefusedRecipient {
    /// Trying again later may help.
    pub fn is_temporary(&self) -> bool {
        self.code < 500
    }
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SentMail {
    /// Recipients for whom the server has taken it.
    pub accepted: Vec<String>,
    /// The others.
    pub refused: Vec<RefusedRecipient>,
    /// Bytes of the message.
    pub size: u64,
    /// The server's last reply; often names its queue entry.
    pub reply: String,
}

/// What is done with a message after it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailChange {
    /// Marks it as read.
    Seen,
    /// Marks it for attention.
    Flag,
    /// Moves it, and marks it as read before when asked to.
    Move {
        /// Name of the mailbox.
        mailbox: String,
        /// Marks it as read.
        seen: bool,
    },
}

/// Which messages of a mailbox are wanted. All conditions hold together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailSearch {
    /// Not read yet.
    pub unseen: bool,
    /// Part of the sender.
    pub from: Option<String>,
    /// Part of a recipient.
    pub to: Option<String>,
    /// Part of the subject.
    pub subject: Option<String>,
    /// Anywhere in the message.
    pub text: Option<String>,
    /// Arrived at this time or later, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// These messages, with the UIDVALIDITY under which their numbers are known.
    pub uids: Vec<u32>,
    /// UIDVALIDITY that the numbers belong to.
    pub uid_validity: Option<u32>,
}

/// A mailbox to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailQuery {
    /// Name of the mailbox; levels as the server divides them.
    pub mailbox: String,
    /// Which messages.
    pub search: MailSearch,
    /// At most so many, newest first.
    pub limit: usize,
    /// The bytes of attachments are wanted.
    pub attachments: bool,
    /// Largest message that is read whole, bytes; of a larger one the headers are read.
    pub max_message: u32,
    /// What is done with each message, after all were taken.
    pub change: Option<MailChange>,
}

/// A file of a received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedFile {
    /// File name; empty when it has none.
    pub name: String,
    /// Media type, `type/subtype`.
    pub media: String,
    /// Bytes.
    pub size: u64,
    /// It belongs into the text (a picture of the HTML).
    pub inline: bool,
    /// What `cid:` names.
    pub content_id: Option<String>,
    /// The content, where it was asked for.
    pub bytes: Option<Vec<u8>>,
}

/// A received message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceivedMail {
    /// Number in the mailbox.
    pub uid: u32,
    /// What the number is valid with.
    pub uid_validity: u32,
    /// Message-ID without angle brackets.
    pub message_id: Option<String>,
    /// Message-IDs that it answers.
    pub in_reply_to: Vec<String>,
    /// Message-IDs of the thread, oldest first.
    pub references: Vec<String>,
    /// When it was sent, as it says itself; milliseconds since 1970.
    pub date_ms: Option<i64>,
    /// When the server received it; milliseconds since 1970.
    pub received_ms: Option<i64>,
    /// Senders.
    pub from: Vec<MailAddress>,
    /// Recipients.
    pub to: Vec<MailAddress>,
    /// Recipients of a copy.
    pub cc: Vec<MailAddress>,
    /// Where answers go, when it says so.
    pub reply_to: Vec<MailAddress>,
    /// Subject.
    pub subject: String,
    /// Plain text; made of the HTML where there is no other.
    pub text: String,
    /// `text` was made of the HTML.
    pub text_from_html: bool,
    /// HTML text.
    pub html: Option<String>,
    /// A text was longer than is handed on and was cut.
    pub is_cut: bool,
    /// Too large or too deeply nested: only the headers were read. Why, in plain words.
    pub headers_only: Option<String>,
    /// Flags as the server names them, such as `\Seen`.
    pub flags: Vec<String>,
    /// Bytes of the whole message.
    pub size: u64,
    /// Its files.
    pub files: Vec<ReceivedFile>,
}

/// Why mail was not sent or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailError {
    /// The address is not allowed (nothing was sent).
    AddressRefused {
        /// Plain words.
        message: String,
    },
    /// The credential may not go there, or not without encryption (it was not sent).
    CredentialRefused {
        /// Plain words.
        message: String,
    },
    /// A setting or an address cannot be used (nothing was sent).
    Invalid {
        /// The setting.
        field: String,
        /// Plain words.
        message: String,
    },
    /// The server was not reached, or ended the connection before anything was done.
    Connection {
        /// Plain words.
        message: String,
    },
    /// No encrypted connection: the certificate is not the host's, not trusted, or expired; or STARTTLS is not offered.
    Tls {
        /// Plain words.
        message: String,
    },
    /// The server does not accept user and password.
    Auth {
        /// Plain words.
        message: String,
    },
    /// There is no such mailbox.
    MailboxMissing {
        /// The mailbox.
        mailbox: String,
        /// Plain words.
        message: String,
    },
    /// The mailbox has another UIDVALIDITY than the one that the numbers belong to.
    UidValidityChanged {
        /// Known before.
        wanted: u32,
        /// What it is now.
        found: u32,
    },
    /// No recipient was accepted; nothing was sent.
    RecipientsRefused {
        /// All of them.
        refused: Vec<RefusedRecipient>,
    },
    /// The server refuses the sender, the message, or a command.
    Refused {
        /// SMTP reply code; none for IMAP.
        code: Option<u16>,
        /// Plain words with what the server says.
        message: String,
        /// Trying again later may help.
        temporary: bool,
    },
    /// The message is larger than the server takes.
    TooLarge {
        /// Bytes.
        size: u64,
        /// Bytes, when the server says it.
        limit: Option<u64>,
    },
    /// The connection ended after the message, or a change, was sent, before the server had confirmed it.
    OutcomeUnknown {
        /// Plain words.
        message: String,
    },
    /// The server did not finish in time.
    Timeout {
        /// The message, or a change, may have been carried out.
        effect: bool,
    },
    /// The server does not follow the protocol, or does not stop to answer.
    BadAnswer {
        /// Plain words.
        message: String,
    },
}

/// Takes messages one after the other, so that only one of them is in memory.
#[async_trait]
pub trait MailSink: Send {
    /// The next message. `false` ends the reading; no message is changed then.
    async fn take(&mut self, mail: ReceivedMail) -> bool;
}

/// Mail servers, with the address rules of TRUST.
#[async_trait]
pub trait Mail: Send + Sync {
    /// Sends one message. Recipients that the server refuses are part of the result as long as one is accepted.
    async fn send(&self, server: MailServer, mail: OutgoingMail) -> Result<SentMail, MailError>;
    /// Reads messages, newest first.
    async fn read(&self, server: MailServer, query: MailQuery, sink: &mut dyn MailSink) -> Result<(), MailError>;
    /// Changes messages that were dealt with, and reads those behind a place, oldest first; without any it waits for one where
    /// the server tells of new messages. Here a sink that gives `false` has taken the message and wants no more.
    async fn watch(
        &self,
        server: MailServer,
        watch: MailWatch,
        sink: &mut dyn MailSink,
    ) -> Result<MailWatched, MailError> {
        let _nobody = (server, watch, sink);
        Err(none())
    }
    /// Connects and signs in, and does nothing else.
    async fn check(&self, server: MailServer, protocol: MailProtocol) -> Result<(), MailError> {
        let _nobody = (server, protocol);
        Err(none())
    }
}

/// Where there are no mail servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMail;

fn none() -> MailError {
    MailError::Connection { message: "Mail cannot be sent or read here".into() }
}

#[async_trait]
impl Mail for NoMail {
    async fn send(&self, _server: MailServer, _mail: OutgoingMail) -> Result<SentMail, MailError> {
        Err(none())
    }
    async fn read(&self, _server: MailServer, _query: MailQuery, _sink: &mut dyn MailSink) -> Result<(), MailError> {
        Err(none())
    }
}
