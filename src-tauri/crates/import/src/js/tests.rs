use super::{Js, parse};

#[test]
fn expressions_are_read_with_their_precedence() {
    let text = |source: &str| format!("{:?}", parse(source));
    assert_eq!(text("1 + 2 * 3"), text("1 + (2 * 3)"));
    assert_eq!(text("a || b && c"), text("a || (b && c)"));
    assert_eq!(text("a ? b : c ? d : e"), text("a ? b : (c ? d : e)"));
    assert_eq!(text("2 ** 3 ** 2"), text("2 ** (3 ** 2)"));
    assert_ne!(text("a?.b"), text("a.b"));
    assert!(matches!(parse("a / 2 / b"), Ok(Js::Binary { .. })), "a slash after a value divides");
    assert!(matches!(parse("x.replace(/[/]'/g, '')"), Ok(Js::Call { .. })));
    assert!(matches!(parse("`a${b + `c${d}`}e`"), Ok(Js::Template(pieces)) if pieces.len() == 3));
}

#[test]
fn what_is_no_expression_is_refused_and_says_why() {
    for (source, why) in [
        ("", "empty"),
        ("a = 1", "assigns"),
        ("if (a) { b }", "program"),
        ("'abc", "not closed"),
        ("`${a", "not closed"),
        ("(() => { const a = 1; return a })()", "statements"),
        ("a b", "more than one"),
        ("#", "not read"),
    ] {
        let told = parse(source).expect_err(source);
        assert!(told.contains(why), "{source}: {told}");
    }
    for source in ["(".repeat(10_000), "[".repeat(10_000), "!".repeat(10_000), "{a:".repeat(5_000), "`${".repeat(5_000)]
    {
        assert!(parse(&source).is_err());
    }
    assert!(parse(&vec!["1"; 1_000].join("+")).is_err(), "long chains would be deep trees");
    assert!(parse(&vec!["1"; 20_000].join("**")).is_err(), "each power is inside the one before it");
    // Chains in brackets in chains: a tree as deep as all of them together.
    let chain = vec!["1"; 380].join("+");
    let nested = (0..40).fold("1".to_owned(), |inner, _| format!("({inner})+{chain}"));
    assert!(parse(&nested).expect_err("deep").contains("nested"));
    assert!(parse(&chain).is_ok() && parse(&format!("[{}]", vec![chain.as_str(); 60].join(","))).is_ok());
}
