//! Whether a signature was made by the key of the server.

use super::broken;
use super::packet::In;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::digest;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA512,
    RsaPublicKeyComponents, UnparsedPublicKey,
};
use signalbox_ports::remote_files::RemoteError;

/// What servers may sign with, the best first.
pub(super) const ALGORITHMS: [&str; 5] =
    ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "rsa-sha2-512", "rsa-sha2-256"];

/// A key as people compare it.
pub(super) fn fingerprint(key: &[u8]) -> String {
    format!("SHA256:{}", STANDARD_NO_PAD.encode(digest::digest(&digest::SHA256, key).as_ref()))
}

/// Two numbers of a signature in places of one length.
fn pair(signature: &[u8], length: usize) -> Result<Vec<u8>, RemoteError> {
    let mut parts = In(signature);
    let mut both = Vec::new();
    for _ in 0..2 {
        let number = parts.mpint()?;
        let zeros = length.checked_sub(number.len()).ok_or_else(|| broken("a signature is too long"))?;
        both.resize(both.len() + zeros, 0);
        both.extend(number);
    }
    Ok(both)
}

/// Checks the signature of `message` by the key of the server, which signs as `algorithm` says.
pub(super) fn verify(algorithm: &str, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), RemoteError> {
    let wrong = || broken("its signature is wrong, so it does not have the key that it shows");
    let (mut key, mut signed) = (In(key), In(signature));
    let (kind, by) = (key.text()?, signed.text()?);
    let signature = signed.string()?;
    let wanted = if algorithm.starts_with("rsa-") { "ssh-rsa" } else { algorithm };
    if kind != wanted || by != algorithm {
        return Err(broken("it signs with another kind of key than it promised"));
    }
    let good = match algorithm {
        "ssh-ed25519" => UnparsedPublicKey::new(&ED25519, key.string()?).verify(message, signature),
        "ecdsa-sha2-nistp256" | "ecdsa-sha2-nistp384" => {
            let large = algorithm.ends_with("384");
            let (curve, point) = (key.text()?, key.string()?);
            if !algorithm.ends_with(curve) {
                return Err(wrong());
            }
            let known = if large { &ECDSA_P384_SHA384_FIXED } else { &ECDSA_P256_SHA256_FIXED };
            UnparsedPublicKey::new(known, point).verify(message, &pair(signature, if large { 48 } else { 32 })?)
        }
        _ => {
            let (e, n) = (key.mpint()?, key.mpint()?);
            let zeros = n.len().saturating_sub(signature.len());
            let signature = [&vec![0; zeros][..], signature].concat();
            let known =
                if algorithm == "rsa-sha2-512" { &RSA_PKCS1_2048_8192_SHA512 } else { &RSA_PKCS1_2048_8192_SHA256 };
            RsaPublicKeyComponents { n, e }.verify(known, message, &signature)
        }
    };
    good.map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::super::packet::Out;
    use super::{fingerprint, pair, verify};

    #[test]
    fn what_is_not_signed_by_the_key_is_refused() {
        let key = Out::default().string("ssh-ed25519").string([7; 32]).0;
        let signature = Out::default().string("ssh-ed25519").string([1; 64]).0;
        assert!(verify("ssh-ed25519", &key, b"text", &signature).is_err());
        let other = verify("rsa-sha2-256", &key, b"text", &signature).expect_err("another kind");
        assert!(other.message.contains("another kind"), "{other:?}");
        for short in [&b""[..], &[0, 0, 0, 9]] {
            assert!(verify("ssh-ed25519", short, b"text", &signature).is_err());
            assert!(verify("ssh-ed25519", &key, b"text", short).is_err());
        }
        assert!(pair(&Out::default().mpint(&[1; 33]).mpint(&[1]).0, 32).is_err());
        assert_eq!(fingerprint(b""), "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU");
    }
}
