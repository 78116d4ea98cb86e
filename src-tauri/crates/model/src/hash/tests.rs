use super::{hex, hmac_sha256};

/// RFC 4231, cases 2 and 6: a short key, and one that is longer than a block.
#[test]
fn hmac_is_that_of_the_rfc() {
    let short = hmac_sha256(b"Jefe", b"what do ya want for nothing?");
    assert_eq!(hex(&short), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    let long = hmac_sha256(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
    assert_eq!(hex(&long), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
