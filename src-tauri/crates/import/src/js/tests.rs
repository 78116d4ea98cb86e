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
        ("(() => { a.push(1); return a })()", "statements"),
        ("(() => { let a = 1; a = 2; return a })()", "changed"),
        ("(() => { if (a) { b } return a })()", "statements"),
        ("(() => { return", "ends too early"),
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

#[test]
fn functions_that_return_a_value_step_by_step_are_expressions() {
    let text = |source: &str| format!("{:?}", parse(source));
    assert_eq!(text("(() => { if (a) { return 1; } else return 2 })()"), text("(() => a ? 1 : 2)()"), "both branches");
    assert_eq!(text("x.map(function (y) { return y.z; })"), text("x.map(y => y.z)"));
    assert_eq!(text("(() => { if (a) return 1; return 2 })()"), text("(() => a ? 1 : 2)()"));
    assert!(text("x.map(([k, v]) => k + v)").contains("Let"), "parts of a parameter");
    assert_eq!(
        text("(() => { const {a, b: [c]} = x; return a })()"),
        text("(() => { const {a, b: [c]} = x; return a })()")
    );
    assert!(parse(&format!("(() => {{ {} return a }})()", "const a = 1; ".repeat(1_000))).is_err(), "too many");
    let nested = format!("{}1{}", "(() => { if (a) { return ".repeat(200), "}})()".repeat(200));
    assert!(parse(&nested).is_err(), "too deep");
}
