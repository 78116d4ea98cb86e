//! Private keys of users: in the format of OpenSSH, and in PEM.

use super::broken;
use super::packet::{In, Out};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::rsa::{self, KeyPairComponents, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    RSA_PKCS1_SHA256,
};
use signalbox_ports::remote_files::RemoteError;
use zeroize::Zeroizing;

/// What is wrong with a key, and what to do.
pub(in super::super) type Unfit = (&'static str, &'static str);

const LOCKED: Unfit = (
    "The private key is protected by a passphrase",
    "Make a copy without one for this program (`ssh-keygen -p -N '' -f COPY`): it is stored encrypted here.",
);
const UNREADABLE: Unfit = (
    "It holds no private key that can be read",
    "Give the whole file, from -----BEGIN to -----END: an OpenSSH key, or PKCS #8 or RSA in PEM.",
);
const OTHER_FORMAT: Unfit = (
    "The private key has a format that is not read",
    "Write it as an OpenSSH key: `ssh-keygen -p -N '' -f COPY`, or for PuTTY `puttygen KEY.ppk -O private-openssh -o KEY`.",
);
const OTHER_KIND: Unfit = (
    "The private key is of a kind that is not used",
    "Make one with `ssh-keygen -t ed25519`; ECDSA of 256 and 384 bits and RSA of 2048 to 4096 bits are used, too.",
);

/// A key that can sign.
pub(in super::super) enum UserKey {
    Ed25519(Ed25519KeyPair),
    Ecdsa { pair: EcdsaKeyPair, large: bool },
    Rsa(rsa::KeyPair),
}

/// Reads a private key.
pub(in super::super) fn private_key(text: &str) -> Result<UserKey, Unfit> {
    let text = text.trim();
    if text.starts_with("PuTTY-User-Key-File-") {
        return Err(OTHER_FORMAT);
    }
    let label = text.strip_prefix("-----BEGIN ").and_then(|rest| rest.split_once("-----")).map(|(label, _)| label);
    let body: Zeroizing<String> =
        Zeroizing::new(text.lines().skip(1).take_while(|line| !line.starts_with("-----END")).map(str::trim).collect());
    if label == Some("ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
        return Err(LOCKED);
    }
    let bytes = Zeroizing::new(STANDARD.decode(body.as_bytes()).map_err(|_| UNREADABLE)?);
    match label {
        Some("OPENSSH PRIVATE KEY") => openssh(&bytes),
        Some("RSA PRIVATE KEY") => rsa::KeyPair::from_der(&bytes).map(UserKey::Rsa).map_err(|_| OTHER_KIND),
        Some("PRIVATE KEY") => pkcs8(&bytes),
        Some("EC PRIVATE KEY" | "DSA PRIVATE KEY") => Err(OTHER_FORMAT),
        _ => Err(UNREADABLE),
    }
}

fn pkcs8(bytes: &[u8]) -> Result<UserKey, Unfit> {
    let random = SystemRandom::new();
    if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(bytes) {
        return Ok(UserKey::Ed25519(pair));
    }
    for (algorithm, large) in [(&ECDSA_P256_SHA256_FIXED_SIGNING, false), (&ECDSA_P384_SHA384_FIXED_SIGNING, true)] {
        if let Ok(pair) = EcdsaKeyPair::from_pkcs8(algorithm, bytes, &random) {
            return Ok(UserKey::Ecdsa { pair, large });
        }
    }
    rsa::KeyPair::from_pkcs8(bytes).map(UserKey::Rsa).map_err(|_| OTHER_KIND)
}

fn openssh(bytes: &[u8]) -> Result<UserKey, Unfit> {
    let rest = bytes.strip_prefix(b"openssh-key-v1\0").ok_or(UNREADABLE)?;
    let mut file = In(rest);
    let unreadable = |_: RemoteError| UNREADABLE;
    let cipher = file.string().map_err(unreadable)?;
    if cipher != b"none" {
        return Err(LOCKED);
    }
    file.string().and_then(|_| file.string()).map_err(unreadable)?;
    if file.number().map_err(unreadable)? != 1 {
        return Err(UNREADABLE);
    }
    file.string().map_err(unreadable)?;
    let mut key = In(file.string().map_err(unreadable)?);
    if key.number().map_err(unreadable)? != key.number().map_err(unreadable)? {
        return Err(UNREADABLE);
    }
    let kind = key.string().map_err(unreadable)?;
    match kind {
        b"ssh-ed25519" => {
            let (public, both) = (key.string().map_err(unreadable)?, key.string().map_err(unreadable)?);
            let seed = both.get(..32).ok_or(UNREADABLE)?;
            Ed25519KeyPair::from_seed_and_public_key(seed, public).map(UserKey::Ed25519).map_err(|_| UNREADABLE)
        }
        b"ecdsa-sha2-nistp256" | b"ecdsa-sha2-nistp384" => {
            let large = kind.ends_with(b"384");
            key.string().map_err(unreadable)?;
            let (point, number) = (key.string().map_err(unreadable)?, key.mpint().map_err(unreadable)?);
            let zeros = if large { 48_usize } else { 32 }.checked_sub(number.len()).ok_or(UNREADABLE)?;
            let number = Zeroizing::new([&vec![0; zeros][..], number].concat());
            let algorithm = if large { &ECDSA_P384_SHA384_FIXED_SIGNING } else { &ECDSA_P256_SHA256_FIXED_SIGNING };
            let random = SystemRandom::new();
            let pair = EcdsaKeyPair::from_private_key_and_public_key(algorithm, &number, point, &random);
            Ok(UserKey::Ecdsa { pair: pair.map_err(|_| UNREADABLE)?, large })
        }
        b"ssh-rsa" => {
            let mut next = || key.mpint().map_err(unreadable);
            let (n, e, d, inverse, p, q) = (next()?, next()?, next()?, next()?, next()?, next()?);
            let (of_p, of_q) = (Zeroizing::new(remainder(d, p)), Zeroizing::new(remainder(d, q)));
            let components = KeyPairComponents {
                public_key: PublicKeyComponents { n, e },
                d,
                p,
                q,
                dP: &of_p[..],
                dQ: &of_q[..],
                qInv: inverse,
            };
            rsa::KeyPair::from_components(&components).map(UserKey::Rsa).map_err(|_| OTHER_KIND)
        }
        _ => Err(OTHER_KIND),
    }
}

/// `number mod (prime - 1)`, which the format leaves out.
fn remainder(number: &[u8], prime: &[u8]) -> Vec<u8> {
    // A prime is odd: one less is its last bit alone.
    let mut less = prime.to_vec();
    if let Some(last) = less.last_mut() {
        *last &= 0xfe;
    }
    // One byte more, for what a bit shifts out.
    let mut rest = vec![0_u8; less.len() + 1];
    let less = [&[0][..], &less].concat();
    for bit in number.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)) {
        let mut carry = bit;
        for byte in rest.iter_mut().rev() {
            let out = *byte >> 7;
            *byte = (*byte << 1) | carry;
            carry = out;
        }
        if rest >= less {
            let mut borrow = 0;
            for (byte, minus) in rest.iter_mut().zip(&less).rev() {
                let value = i16::from(*byte) - i16::from(*minus) - borrow;
                borrow = i16::from(value < 0);
                *byte = value.rem_euclid(256).to_le_bytes()[0];
            }
        }
    }
    let start = rest.iter().position(|byte| *byte != 0).unwrap_or(rest.len());
    rest.split_off(start)
}

impl UserKey {
    /// How it signs, as the protocol names it.
    pub(super) fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed25519(_) => "ssh-ed25519",
            Self::Ecdsa { large: false, .. } => "ecdsa-sha2-nistp256",
            Self::Ecdsa { large: true, .. } => "ecdsa-sha2-nistp384",
            Self::Rsa(_) => "rsa-sha2-256",
        }
    }

    /// Its public part.
    pub(super) fn public(&self) -> Vec<u8> {
        match self {
            Self::Ed25519(pair) => Out::default().string("ssh-ed25519").string(pair.public_key()).0,
            Self::Ecdsa { pair, .. } => {
                let name = self.algorithm();
                Out::default().string(name).string(&name[11..]).string(pair.public_key()).0
            }
            Self::Rsa(pair) => {
                let PublicKeyComponents::<Vec<u8>> { n, e } = pair.public().into();
                Out::default().string("ssh-rsa").mpint(&e).mpint(&n).0
            }
        }
    }

    /// A signature.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, RemoteError> {
        let failed = |_| broken("the private key cannot sign");
        let random = SystemRandom::new();
        let signature = match self {
            Self::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
            Self::Ecdsa { pair, .. } => {
                let signature = pair.sign(&random, message).map_err(failed)?;
                let (r, s) = signature.as_ref().split_at(signature.as_ref().len() / 2);
                Out::default().mpint(r).mpint(s).0
            }
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(failed)?;
                signature
            }
        };
        Ok(Out::default().string(self.algorithm()).string(signature).0)
    }
}

#[cfg(test)]
mod tests;
