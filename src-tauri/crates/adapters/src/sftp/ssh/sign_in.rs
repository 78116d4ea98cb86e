//! Signing in: with a key, or with a password, which some servers ask for as a question.

use super::keys::UserKey;
use super::packet::{In, Out, Transport};
use super::{SERVICE_ACCEPT, SERVICE_REQUEST, broken};
use signalbox_ports::remote_files::RemoteError;

const REQUEST: u8 = 50;
const FAILURE: u8 = 51;
const SUCCESS: u8 = 52;
const BANNER: u8 = 53;
const INFO_REQUEST: u8 = 60;
const INFO_RESPONSE: u8 = 61;
/// Questions that one server may ask.
const MOST_QUESTIONS: usize = 4;

/// What proves who somebody is.
pub(in super::super) enum Proof<'a> {
    Key(Box<UserKey>),
    Password(&'a str),
}

/// What became of it.
enum Answer {
    In,
    /// What else the server would accept.
    Refused(Vec<String>),
    Question(Vec<u8>),
}

async fn answer(transport: &mut Transport) -> Result<Answer, RemoteError> {
    loop {
        let message = transport.next().await?;
        let mut rest = In(message.get(1..).unwrap_or_default());
        return Ok(match message.first().copied().unwrap_or_default() {
            BANNER => continue,
            SUCCESS => Answer::In,
            FAILURE => Answer::Refused(rest.names()?.into_iter().map(str::to_owned).collect()),
            INFO_REQUEST => Answer::Question(message),
            _ => return Err(broken("something comes in between its sign-in")),
        });
    }
}

fn request(user: &str, method: &str) -> Out {
    Out::message(REQUEST).string(user).string("ssh-connection").string(method)
}

/// Signs in; when that is refused, the ways that the server accepts.
pub(in super::super) async fn sign_in(
    transport: &mut Transport,
    session: &[u8],
    user: &str,
    proof: &Proof<'_>,
) -> Result<Option<Vec<String>>, RemoteError> {
    transport.send(Out::message(SERVICE_REQUEST).string("ssh-userauth")).await?;
    if transport.next().await?.first() != Some(&SERVICE_ACCEPT) {
        return Err(broken("it lets nobody sign in"));
    }
    match proof {
        Proof::Key(key) => {
            let asked = request(user, "publickey").byte(1).string(key.algorithm()).string(key.public());
            let signed = [&Out::default().string(session).0[..], &asked.0].concat();
            let signature = key.sign(&signed)?;
            transport.send(asked.string(signature)).await?;
        }
        Proof::Password(password) => transport.send(request(user, "password").byte(0).string(password)).await?,
    }
    let methods = match (answer(transport).await?, proof) {
        (Answer::In, _) => return Ok(None),
        (Answer::Refused(methods), Proof::Password(_)) if methods.iter().any(|one| one == "keyboard-interactive") => {
            methods
        }
        (Answer::Refused(methods), _) => return Ok(Some(methods)),
        // It wants a new password.
        (Answer::Question(_), _) => return Ok(Some(Vec::new())),
    };
    let Proof::Password(password) = proof else { return Ok(Some(methods)) };
    transport.send(request(user, "keyboard-interactive").string("").string("")).await?;
    let mut answered = false;
    for _ in 0..MOST_QUESTIONS {
        let question = match answer(transport).await? {
            Answer::In => return Ok(None),
            Answer::Refused(methods) => return Ok(Some(methods)),
            Answer::Question(question) => question,
        };
        let mut question = In(&question[1..]);
        question.string()?;
        question.string()?;
        question.string()?;
        let count = question.number()?;
        // One question is for the password; whoever asks more wants something else.
        if count > 1 || (count == 1 && answered) {
            return Ok(Some(methods));
        }
        let reply = Out::message(INFO_RESPONSE).number(count);
        answered |= count == 1;
        transport.send(if count == 1 { reply.string(password) } else { reply }).await?;
    }
    Ok(Some(methods))
}
