use super::{Loss, lost};
use crate::formats::read_yaml;
use signalbox_documents::toml_text;

#[test]
fn numbers_of_yaml_and_toml_keep_their_digits_or_are_named() {
    for number in
        ["12345678901234567890123", "-12345678901234567890123", "+18446744073709551617", "0.1234567890123456789"]
    {
        let yaml = format!("rows:\n  - id: {number}\n");
        let Some(Loss::Number(found)) = lost(&yaml, &read_yaml(&yaml).expect("YAML")) else { panic!("{number}") };
        assert_eq!((found.written.as_str(), found.line), (number.trim_start_matches('+'), 2));
    }
    let toml = "a = 1\nb = 0.1234567890123456789\n";
    assert!(lost(toml, &toml_text::parse(toml).expect("TOML")).is_some());
    for kept in [
        "a: 9007199254740993\nb: 18446744073709551615\nc: -9223372036854775808\nd: 0.1\ne: 1e22\n",
        "a: '12345678901234567890123'\nb: \"0.1234567890123456789\"\nc: x12345678901234567890123\n",
        "# 12345678901234567890123\na: 3.3333333333333335\n",
    ] {
        assert_eq!(lost(kept, &read_yaml(kept).expect("YAML")), None, "{kept}");
    }
}
