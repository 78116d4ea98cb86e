//! Names of mailboxes in the modified UTF-7 of IMAP (RFC 3501, 5.1.3).

use base64::Engine as _;
use base64::alphabet::IMAP_MUTF7;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};

const BASE64: GeneralPurpose = GeneralPurpose::new(&IMAP_MUTF7, NO_PAD);

/// A name as a server takes it.
pub(super) fn encode(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut shifted: Vec<u8> = Vec::new();
    let flush = |shifted: &mut Vec<u8>, out: &mut String| {
        if !shifted.is_empty() {
            out.push('&');
            out.push_str(&BASE64.encode(&*shifted));
            out.push('-');
            shifted.clear();
        }
    };
    for c in name.chars() {
        if (' '..='~').contains(&c) {
            flush(&mut shifted, &mut out);
            out.push(c);
            if c == '&' {
                out.push('-');
            }
        } else {
            let mut units = [0; 2];
            shifted.extend(c.encode_utf16(&mut units).iter().flat_map(|unit| unit.to_be_bytes()));
        }
    }
    flush(&mut shifted, &mut out);
    out
}
