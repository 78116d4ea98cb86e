//! The part of SSH that a client for files needs (RFC 4251 to 4254): one handshake, a sign-in, one channel. All cryptography is that
//! of *ring*; of each algorithm only what is safe today is spoken.

mod channel;
mod handshake;
mod keys;
mod packet;
mod sign_in;
mod verify;

pub(super) use channel::Channel;
pub(super) use handshake::{ServerKey, handshake};
pub(super) use keys::private_key;
pub(super) use sign_in::{Proof, sign_in};

use signalbox_ports::remote_files::{RemoteError, RemoteFault};

const DISCONNECT: u8 = 1;
const IGNORE: u8 = 2;
const UNIMPLEMENTED: u8 = 3;
const DEBUG: u8 = 4;
const SERVICE_REQUEST: u8 = 5;
const SERVICE_ACCEPT: u8 = 6;
const EXT_INFO: u8 = 7;
const KEXINIT: u8 = 20;
const GLOBAL_REQUEST: u8 = 80;
const REQUEST_FAILURE: u8 = 82;

/// What answers does not keep to the protocol.
fn broken(why: &str) -> RemoteError {
    RemoteError::new(RemoteFault::Protocol, format!("The server does not keep to SSH: {why}. Check host and port"))
}

fn random<const N: usize>() -> Result<[u8; N], RemoteError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| broken("this machine gives no random numbers"))?;
    Ok(bytes)
}
