//! The text of HTML, written as Markdown as far as headings and lists go. It never fails: what is no tag is text.

/// Elements whose content is nobody's text.
const HIDDEN: &[&str] = &["script", "style", "head", "noscript", "template", "svg"];
/// Elements that begin a paragraph.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "table", "ul", "ol", "dl", "blockquote",
    "pre", "figure", "form", "body",
];
/// Elements that begin a line.
const LINES: &[&str] = &["br", "tr", "dt", "dd", "hr", "option"];
#[rustfmt::skip]
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", " "), ("copy", "©"), ("reg", "®"),
    ("euro", "€"), ("pound", "£"), ("yen", "¥"), ("deg", "°"), ("ndash", "–"), ("mdash", "—"), ("hellip", "…"),
    ("lsquo", "‘"), ("rsquo", "’"), ("ldquo", "“"), ("rdquo", "”"), ("laquo", "«"), ("raquo", "»"), ("bull", "•"),
    ("middot", "·"), ("times", "×"), ("auml", "ä"), ("ouml", "ö"), ("uuml", "ü"), ("Auml", "Ä"), ("Ouml", "Ö"),
    ("Uuml", "Ü"), ("szlig", "ß"), ("eacute", "é"), ("egrave", "è"), ("agrave", "à"), ("ccedil", "ç"), ("ntilde", "ñ"),
];

/// The text without tags.
pub(crate) fn text(html: &str) -> String {
    let mut out = Out { text: String::with_capacity(html.len() / 2), space: false };
    let mut rest = html;
    while !rest.is_empty() {
        let Some(at) = rest.find('<') else {
            out.words(rest);
            break;
        };
        out.words(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let Some((name, closes, after)) = tag(rest) else {
            out.words("<");
            rest = &rest[1..];
            continue;
        };
        rest = after;
        if !closes && HIDDEN.contains(&name.as_str()) {
            rest = behind(rest, &name);
        } else {
            out.tag(&name, closes);
        }
    }
    out.text.truncate(out.text.trim_end().len());
    out.text
}

/// Name of a tag, whether it closes, and what follows it.
fn tag(text: &str) -> Option<(String, bool, &str)> {
    let inner = &text[1..];
    let (inner, closes) = inner.strip_prefix('/').map_or((inner, false), |inner| (inner, true));
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
        return None;
    }
    let name: String =
        inner.chars().take_while(|c| c.is_ascii_alphanumeric()).take(32).collect::<String>().to_ascii_lowercase();
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, '>') => return Some((name, closes, &inner[at + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// What follows the end of a hidden element.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let after = from + at + 2;
        let is_it = text.get(after..after + name.len()).is_some_and(|end| end.eq_ignore_ascii_case(name));
        if is_it {
            return text[after..].find('>').map_or("", |end| &text[after + end + 1..]);
        }
        from = after;
    }
    ""
}

struct Out {
    text: String,
    space: bool,
}

impl Out {
    fn tag(&mut self, name: &str, closes: bool) {
        let level =
            name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok()).filter(|n| (1..=6).contains(n));
        if let Some(level) = level {
            self.line(2);
            if !closes {
                self.text.push_str(&"#".repeat(level));
                self.space = true;
            }
        } else if BLOCKS.contains(&name) {
            self.line(2);
        } else if name == "li" {
            self.line(1);
            if !closes {
                self.text.push('-');
                self.space = true;
            }
        } else if LINES.contains(&name) {
            self.line(1);
        } else if matches!(name, "td" | "th") {
            self.space = true;
        }
    }

    /// Ends a line, or a paragraph.
    fn line(&mut self, breaks: usize) {
        self.space = false;
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if self.text.is_empty() {
            return;
        }
        let there = self.text.len() - self.text.trim_end_matches('\n').len();
        for _ in there..breaks {
            self.text.push('\n');
        }
    }

    fn words(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c == '&'
                && let Some((said, after)) = entity(rest)
            {
                said.chars().for_each(|c| self.char(c));
                rest = after;
                continue;
            }
            self.char(c);
            rest = &rest[c.len_utf8()..];
        }
    }

    fn char(&mut self, c: char) {
        if c.is_whitespace() || c.is_control() {
            self.space = true;
            return;
        }
        if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
            self.text.push(' ');
        }
        self.text.push(c);
    }
}

fn entity(text: &str) -> Option<(String, &str)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let after = &text[end + 1..];
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return Some((char::from_u32(code)?.to_string(), after));
    }
    let (_, said) = ENTITIES.iter().find(|(known, _)| *known == name)?;
    Some(((*said).to_owned(), after))
}
