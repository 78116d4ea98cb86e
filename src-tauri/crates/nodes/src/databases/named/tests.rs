use super::Dialect::{MySql, Postgres, Sqlite};
use super::{Dialect, translate};

fn made(dialect: Dialect, sql: &str) -> (String, String) {
    let made = translate(sql, dialect).expect("SQL");
    (made.sql, made.names.join(" "))
}

/// SQL that has no parameter in it, whatever it looks like.
fn stays(dialect: Dialect, sql: &str) {
    assert_eq!(made(dialect, sql), (sql.to_owned(), String::new()), "{dialect:?}");
}

#[test]
fn each_driver_gets_its_form() {
    let sql = "SELECT * FROM t WHERE a=:a AND (b > :b_2 OR c=:a)";
    assert_eq!(made(Postgres, sql), ("SELECT * FROM t WHERE a=$1 AND (b > $2 OR c=$1)".into(), "a b_2".into()));
    assert_eq!(made(MySql, sql), ("SELECT * FROM t WHERE a=? AND (b > ? OR c=?)".into(), "a b_2 a".into()));
    assert_eq!(made(Sqlite, sql), ("SELECT * FROM t WHERE a=?1 AND (b > ?2 OR c=?1)".into(), "a b_2".into()));
    assert_eq!(made(Postgres, "SELECT :x::int, a::text").0, "SELECT $1::int, a::text");
    assert_eq!(made(Postgres, "SELECT ':x' || :größe"), ("SELECT ':x' || $1".into(), "größe".into()));
}

#[test]
fn texts_names_and_comments_stay() {
    for dialect in [Postgres, MySql, Sqlite] {
        stays(dialect, "SELECT 'it''s :x', \"a:b\" -- :c\n, 1 /* :d */");
        stays(dialect, "SELECT 'open :x");
        stays(dialect, "SELECT '12:30:00' /* :x");
    }
    stays(Postgres, "SELECT E'it\\'s :x', $$ :x $$, $a_1$ $$ :x $a_1$, a[1:2], a[lo:hi], b ? 'k'");
    stays(Postgres, "/* /* */ :x */ SELECT 1");
    assert_eq!(made(Postgres, "SELECT 'a\\' || :x").1, "x");
    stays(MySql, "SELECT 'it\\'s :x', \"\\\" :x\", `a``:x` # :x\n, @v := 1");
    assert_eq!(made(MySql, "SELECT 5--:x").1, "x");
    stays(Sqlite, "SELECT [a:x], `b:x`, 'a\\'");
    assert_eq!(made(MySql, "/* /* */ :x").1, "x");
}

#[test]
fn placeholders_of_drivers_are_named() {
    assert_eq!(translate("SELECT $1", Postgres).expect_err("no name"), "$1");
    assert_eq!(translate("SELECT ?", MySql).expect_err("no name"), "?");
    assert_eq!(translate("SELECT ?1", Sqlite).expect_err("no name"), "?1");
    assert_eq!(translate("SELECT @id", Sqlite).expect_err("no name"), "@id");
}
