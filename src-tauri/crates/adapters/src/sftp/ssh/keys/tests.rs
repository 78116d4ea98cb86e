use super::{LOCKED, OTHER_FORMAT, UNREADABLE, private_key, remainder};

#[test]
fn the_remainder_is_that_of_one_less_than_the_prime() {
    for (number, prime, want) in [
        (&[100][..], &[7][..], &[4][..]),
        (&[1, 0, 1], &[0xfb], &[37]),
        (&[12], &[13], &[]),
        (&[0xff, 0xff, 0xff], &[0xff, 0xf1], &[0x0f, 0xff]),
    ] {
        assert_eq!(remainder(number, prime), want, "{number:?} {prime:?}");
    }
}

#[test]
fn keys_that_are_not_read_say_what_to_do() {
    let why = |text: &str| private_key(text).err().expect("refused");
    assert_eq!(why("PuTTY-User-Key-File-3: ssh-ed25519"), OTHER_FORMAT);
    assert_eq!(why("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----"), LOCKED);
    assert_eq!(why("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"), UNREADABLE);
    assert_eq!(why("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"), UNREADABLE);
    assert_eq!(why("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----"), OTHER_FORMAT);
    assert_eq!(why("no key"), UNREADABLE);
}
