//! A text as part of an address or a file name.

/// Letters and digits in small letters with `-` between words. Letters of Latin alphabets lose their marks; those of other
/// scripts stay.
pub(crate) fn slug(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter == '\'' || letter == '\u{2019}' {
            continue;
        }
        if !letter.is_alphanumeric() {
            gap = true;
            continue;
        }
        if gap && !made.is_empty() {
            made.push('-');
        }
        gap = false;
        match plain(letter) {
            Some(plain) => made.push_str(plain),
            None => made.push(letter),
        }
    }
    made
}

fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ä' | 'æ' => "ae",
        'ö' | 'œ' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à' | 'á' | 'â' | 'ã' | 'ā' | 'ă' | 'ą' => "a",
        'å' => "aa",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ō' | 'ŏ' | 'ő' => "o",
        'ø' => "oe",
        'ŕ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}
