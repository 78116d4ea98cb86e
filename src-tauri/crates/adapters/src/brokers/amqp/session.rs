//! A connection with one channel: signing in, and waiting for an answer.

use super::super::connect::{Login, Opened, bad_answer};
use super::wire::{Event, FRAME, HELLO, In, Name, Out, Wire};
use signalbox_ports::brokers::{BrokerError, BrokerFault};

/// What a connection or a channel is closed with.
fn refusal(arguments: &[u8]) -> BrokerError {
    let mut all = In(arguments);
    let code = all.two().unwrap_or_default();
    let said: String = all.short().unwrap_or_default().chars().take(300).collect();
    let (fault, words) = match code {
        402 | 530 => (BrokerFault::Invalid("vhost"), format!("The broker does not open the virtual host: {said}")),
        403 if said.contains("login") || said.contains("LOGIN") => {
            (BrokerFault::Auth, "The broker does not accept the user and the password".to_owned())
        }
        403 => (BrokerFault::Forbidden, format!("The user may not do this: {said}")),
        404 => (BrokerFault::Invalid("topic"), format!("The broker does not have it: {said}")),
        405 => (BrokerFault::Refused, format!("Another program has the queue for itself: {said}")),
        311 => (BrokerFault::TooLarge, format!("The message is larger than the broker takes: {said}")),
        320 | 541 => (BrokerFault::Connection, format!("The broker ended the connection: {said}")),
        _ => (BrokerFault::Refused, format!("The broker refuses it: {said} ({code})")),
    };
    BrokerError::new(fault, words)
}

pub(super) struct Session {
    pub(super) wire: Wire,
    /// The last answer was a refusal: nothing was done.
    pub(super) refused: bool,
}

impl Session {
    pub(super) async fn open(opened: Opened, vhost: &str) -> Result<Self, BrokerError> {
        let Opened { stream, login, .. } = opened;
        let mut session = Self { wire: Wire::new(stream), refused: false };
        session.wire.raw(HELLO).await?;
        session.until((10, 10)).await?;
        session.sign_in(&login).await?;
        session.ask(0, (10, 40), Out::default().short(vhost).short("").byte(0), (10, 41)).await?;
        session.ask(1, (20, 10), Out::default().short(""), (20, 11)).await?;
        Ok(session)
    }

    async fn sign_in(&mut self, login: &Login) -> Result<(), BrokerError> {
        // Brokers have this user for whoever is on their machine.
        let user = login.user.as_deref().unwrap_or("guest");
        let password = login.password.as_ref().map_or("guest", |password| password.as_str());
        let answer = format!("\0{user}\0{password}");
        let about = [("product".to_owned(), "Signalbox".to_owned())];
        let arguments = Out::default().table(&about).short("PLAIN").long(answer.as_bytes()).short("en_US");
        self.wire.method(0, (10, 11), arguments).await?;
        // Brokers close the connection without a word, or with one.
        let refused = |error: BrokerError| match error.fault {
            BrokerFault::Connection => {
                BrokerError::new(BrokerFault::Auth, "The broker does not accept the user and the password")
            }
            _ => error,
        };
        let tune = self.until((10, 30)).await.map_err(refused)?;
        let mut all = In(&tune.arguments);
        let (channels, frame) = (all.two()?, all.four()?);
        let frame = if frame == 0 { FRAME } else { frame.min(FRAME) };
        self.wire.frame = usize::try_from(frame).unwrap_or_default();
        // No heartbeats: who waits here is not idle for long.
        self.wire.method(0, (10, 31), Out::default().two(channels.max(1)).four(frame).two(0)).await
    }

    /// What the broker says next; that it closes something is an error.
    pub(super) async fn event(&mut self) -> Result<Event, BrokerError> {
        loop {
            let event = self.wire.event().await?;
            match event.name {
                (10, 50) | (20, 40) => {
                    self.refused = true;
                    return Err(refusal(&event.arguments));
                }
                // The broker is short of memory, or not any more.
                (10, 60 | 61) => {}
                _ => return Ok(event),
            }
        }
    }

    async fn until(&mut self, name: Name) -> Result<Event, BrokerError> {
        let event = self.event().await?;
        if event.name == name { Ok(event) } else { Err(bad_answer("a method has no meaning here")) }
    }

    /// Asks on a channel, and waits for the answer.
    pub(super) async fn ask(
        &mut self,
        channel: u16,
        name: Name,
        arguments: Out,
        answer: Name,
    ) -> Result<Event, BrokerError> {
        self.wire.method(channel, name, arguments).await?;
        self.until(answer).await
    }

    /// Ends it; who does not hear it finds the connection closed.
    pub(super) async fn leave(&mut self) {
        let arguments = Out::default().two(200).short("").two(0).two(0);
        drop(self.wire.method(0, (10, 50), arguments).await);
    }
}
