//! Limits that are checked before the text reaches the parser, with the parser's own lexer.
//!
//! `1 + 1 + …`, `a.b.c…`, `!-!-…` and `a ? b : c ? …` make trees as deep as they are long; parsing, dropping and
//! evaluating them recurses. [`MAX_CHAIN`] bounds that depth so that a stack of 2 MiB is enough in a debug build.

use super::error::{Code, ExprError};
use cel::parser::pratt_parser::{Lexer, TokenKind};

/// Longest text, in bytes.
pub const MAX_LENGTH: usize = 4096;
/// Deepest nesting of `(`, `[` and `{`.
pub const MAX_BRACKETS: usize = 16;
/// Longest chain of operators, selections and the like, over all open brackets.
pub const MAX_CHAIN: usize = 100;

/// Depth of the tree between two brackets, an upper bound.
#[derive(Default)]
struct Level {
    /// Since the last `&&`, `||` or `,`: the parser balances those, so they do not nest.
    run: usize,
    /// The largest `run` since the last `,`.
    deepest: usize,
    /// `?` nests in spite of `&&` and `||`.
    choices: usize,
    /// The deepest argument before the last `,`.
    before: usize,
}

impl Level {
    fn depth(&self) -> usize {
        self.before.max(self.deepest.max(self.run) + self.choices * 2)
    }

    fn step(&mut self) {
        self.run += 1;
    }

    fn inner(&mut self, depth: usize) {
        self.run = self.run.max(depth + 1);
    }

    fn logic(&mut self) {
        self.deepest = self.deepest.max(self.run);
        self.run = 0;
    }

    fn comma(&mut self) {
        *self = Self { before: self.depth(), ..Self::default() };
    }
}

pub(super) fn check(text: &str) -> Result<(), ExprError> {
    if text.len() > MAX_LENGTH {
        return Err(limit(format!(
            "The expression has {} bytes; at most {MAX_LENGTH} are allowed. Split it into several steps.",
            text.len()
        )));
    }
    if text.is_empty() {
        return Err(ExprError::new(Code::Syntax, "The expression is empty. Write one, for example `item.name`.").at(0));
    }
    let mut lexer = Lexer::new(text);
    let mut open = vec![Level::default()];
    loop {
        let token = lexer.lex();
        let place = || text.get(..token.start).map_or(0, |before| before.chars().count());
        let brackets = open.len();
        // `open` starts with one level, and a level is only taken off while two are left.
        let Some(level) = open.last_mut() else { return Ok(()) };
        match token.kind {
            TokenKind::TokEnd | TokenKind::TokError => return Ok(()),
            TokenKind::TokLeftParen | TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => {
                if brackets > MAX_BRACKETS {
                    return Err(limit(format!(
                        "More than {MAX_BRACKETS} brackets are open at character {}. Split the expression over several \
                         steps.",
                        place()
                    ))
                    .at(place()));
                }
                level.step();
                open.push(Level::default());
            }
            TokenKind::TokRightParen | TokenKind::TokRightBracket | TokenKind::TokRightBrace => {
                // One closing bracket too many is the parser's to report.
                let depth = if brackets > 1 { open.pop().map_or(0, |closed| closed.depth()) } else { 0 };
                if let Some(outer) = open.last_mut() {
                    outer.inner(depth);
                }
            }
            TokenKind::TokComma => level.comma(),
            TokenKind::TokLogicalAnd | TokenKind::TokLogicalOr => level.logic(),
            TokenKind::TokQuestion => level.choices += 1,
            TokenKind::TokDot
            | TokenKind::TokMinus
            | TokenKind::TokPlus
            | TokenKind::TokAsterisk
            | TokenKind::TokSlash
            | TokenKind::TokPercent
            | TokenKind::TokExclamation
            | TokenKind::TokEqualEqual
            | TokenKind::TokExclamationEqual
            | TokenKind::TokLess
            | TokenKind::TokLessEqual
            | TokenKind::TokGreater
            | TokenKind::TokGreaterEqual
            | TokenKind::TokIn => level.step(),
            _ => {}
        }
        if open.iter().map(Level::depth).sum::<usize>() > MAX_CHAIN {
            return Err(limit(format!(
                "The expression strings more than {MAX_CHAIN} operations together (counted up to character {}). Split \
                 it over several steps.",
                place()
            ))
            .at(place()));
        }
    }
}

fn limit(message: String) -> ExprError {
    ExprError::new(Code::Limit, message)
}
