//! Whole numbers of 64 bits in expressions and templates.

use crate::expr::scope;
use serde_json::json;
use signalbox_engine::expr::Expr;
use signalbox_engine::template::{self, Template};

/// Whole numbers above `i64::MAX` keep their digits wherever they are only handed on, and are never computed with as if they were others.
#[test]
fn whole_numbers_of_64_bits_keep_their_digits() {
    let mut scope = scope();
    scope.item = signalbox_model::Data::from(json!({
        "id": 12_345_678_901_234_567_890_u64, "near": 12_345_678_901_234_567_891_u64, "odd": 9_007_199_254_740_993_i64, "least": i64::MIN,
        "most": u64::MAX, "round": 1e20, "list": [u64::MAX, 3, 12_345_678_901_234_567_890_u64]
    }));
    let text = |text: &str| Template::parse(text).expect("parses").render(&scope);
    let rendered = text(
        "/{{item.id}}/{{item.most}}/{{item.odd}}/{{item.least}}/{{string(item.id)}}/{{item.round}}/{{string(item.round)}}",
    );
    assert_eq!(
        rendered.as_deref(),
        Ok(
            "/12345678901234567890/18446744073709551615/9007199254740993/-9223372036854775808/12345678901234567890/100000000000000000000/100000000000000000000"
        )
    );
    assert_eq!(
        template::render_url("https://x.example/orders/{{item.id}}?after={{item.most}}", &scope).as_deref(),
        Ok("https://x.example/orders/12345678901234567890?after=18446744073709551615")
    );
    for (expression, result) in [
        ("item.id", "12345678901234567890"),
        ("[item.id, {'a': item.most}]", r#"[12345678901234567890,{"a":18446744073709551615}]"#),
        ("'n' + string(item.id)", "\"n12345678901234567890\""),
        ("item.list.map(x, x)", "[18446744073709551615,3,12345678901234567890]"),
        ("item.list.filter(x, x > 12345)", "[18446744073709551615,12345678901234567890]"),
        ("put(item.list, [1], item.id)", "[18446744073709551615,12345678901234567890,12345678901234567890]"),
        ("item.id == item.near", "false"),
        ("item.id < item.near && item.near <= item.most && item.most > item.least && item.odd < item.id", "true"),
        ("item.id == 12345678901234567890.0", "false"),
        ("item.most < 18446744073709551616.0 && item.most > 1.5 && 1.5 < item.most", "true"),
        ("item.id in item.list", "true"),
        ("type(item.id) == double", "true"),
        ("double(item.most) == 18446744073709551616.0", "true"),
    ] {
        let found = Expr::compile(expression).and_then(|expr| expr.eval(&scope));
        assert_eq!(found.map(|found| found.to_string()).as_deref(), Ok(result), "{expression}");
    }
    for expression in ["item.id + 1", "1 - item.most", "item.id * 1.0", "item.most / 2", "item.most % 10", "-item.id"] {
        let error = Expr::compile(expression).and_then(|expr| expr.eval(&scope)).expect_err(expression);
        assert!(error.message.contains("up to 9223372036854775807"), "{expression}: {}", error.message);
    }
}
