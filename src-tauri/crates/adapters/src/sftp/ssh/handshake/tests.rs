use super::{EXCHANGES, Offer, choose, own_offer};

#[test]
fn the_first_of_ours_that_they_have_is_chosen_and_none_is_named() {
    assert_eq!(choose("x", &["a", "b"], &["b", "a"]).expect("one"), "a");
    let error = choose("key exchange", &EXCHANGES, &["diffie-hellman-group1-sha1"]).expect_err("none");
    assert!(error.message.contains("group1-sha1") && error.message.contains("curve25519-sha256"), "{error:?}");
}

#[test]
fn an_offer_is_read_as_it_is_written() {
    let own = own_offer().expect("an offer").0;
    let offer = Offer::read(&own).expect("read");
    assert_eq!(offer.exchanges[..4], EXCHANGES);
    assert!(!offer.guessed && offer.ciphers.len() == 3 && offer.keys[0] == "ssh-ed25519");
    assert!(Offer::read(&own[..40]).is_err() && Offer::read(&[]).is_err());
}
