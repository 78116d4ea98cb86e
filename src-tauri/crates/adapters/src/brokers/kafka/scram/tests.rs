use super::{First, SHA_256, proved};

/// The exchange that RFC 7677 shows.
#[test]
fn a_sign_in_is_that_of_the_standard() {
    let first = First::new("user", "rOprNGfwEbeRWgbNEkqO");
    assert_eq!(first.message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    let answer = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    let (last, server) = first.last(SHA_256, "pencil", answer).expect("an answer");
    assert!(last.ends_with("p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="), "{last}");
    assert_eq!(server, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    for answer in ["r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "e=unknown-user", "r=rOprNGfwEbeRWgbNEkqOx,s=*,i=1"] {
        assert!(first.last(SHA_256, "pencil", answer).is_err(), "{answer}");
    }
    assert!(proved(&server, &server).is_ok());
    for (answer, words) in
        [("e=invalid-proof", "does not accept"), ("v=AAAA", "does not prove"), ("", "does not prove")]
    {
        let error = proved(answer, &server).expect_err("no proof");
        assert!(error.message.contains(words), "{answer}: {}", error.message);
    }
    assert!(first.last(SHA_256, "pencil", "e=unknown-user").expect_err("refused").message.contains("does not accept"));
    let endless = format!("r={}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4000000000", "rOprNGfwEbeRWgbNEkqO");
    assert!(first.last(SHA_256, "pencil", &endless).is_err());
}
