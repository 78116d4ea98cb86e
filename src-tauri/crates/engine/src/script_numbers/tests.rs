use super::rounded;

fn found(source: &str) -> Option<String> {
    rounded(source).map(|found| found.written)
}

#[test]
fn a_number_that_becomes_another_one_is_found_with_its_line() {
    let one = rounded("const a = 1;\n  return {ä: 9007199254740993}").expect("found");
    assert_eq!((one.written.as_str(), one.line, one.column), ("9007199254740993", 2, 14));
    assert_eq!(one.read.as_deref(), Some("9007199254740992"));
    for (source, written) in [
        ("return -7615917337495251231", "7615917337495251231"),
        ("f(12_345_678_901_234_567)", "12_345_678_901_234_567"),
        ("return 9007199254740993.0", "9007199254740993.0"),
        ("return 0xcbf29ce484222325", "0xcbf29ce484222325"),
        (
            "return 0B111111111111111111111111111111111111111111111111111111",
            "0B111111111111111111111111111111111111111111111111111111",
        ),
        ("return `id ${item.a ? `x${9007199254740993}` : 0}`", "9007199254740993"),
        ("return a / 9007199254740993 / 2", "9007199254740993"),
        ("return x[1] / 9007199254740993", "9007199254740993"),
        ("i++ / 9007199254740993", "9007199254740993"),
        ("const r = /['\"]/; return 9007199254740993", "9007199254740993"),
        ("return /[/'`]/.test(s) ? 9007199254740993 : 1", "9007199254740993"),
        ("if (a) { b() }\n/* ' */ // \"\nreturn 9007199254740993", "9007199254740993"),
        ("return `\\`${{ a: '}' }.a}\\${` + 9007199254740993", "9007199254740993"),
    ] {
        assert_eq!(found(source).as_deref(), Some(written), "{source}");
    }
}

#[test]
fn what_stays_the_same_or_is_no_number_is_left() {
    for source in [
        "return 9007199254740993n",
        "return 0xcbf29ce484222325n",
        "return 12_345_678_901_234_567n",
        "return 9007199254740992 + 9007199254740991 + 10000000000000000000000",
        "return 0xffffffff + 0x1fffffffffffff + 0x20000000000000 + 0o777 + 0b11",
        "return 3.14159265358979323846 + 1e21 + 1.5e+300 + .1234567890123456789",
        "return '9007199254740993' + \"9007199254740993\" + `9007199254740993 ${a}9007199254740993`",
        "// 9007199254740993\n/* 9007199254740993\n9007199254740993 */ return 1",
        "return /9007199254740993/.test(s)",
        "const id_9007199254740993 = a9007199254740993; return $9007199254740993",
        "return 'it\\'s 9007199254740993'",
        "",
        "return 'open 9007199254740993",
        "return `open ${",
        "return /open 9007199254740993",
    ] {
        assert_eq!(found(source), None, "{source}");
    }
}
