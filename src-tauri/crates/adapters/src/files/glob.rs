//! Names of files by a pattern.

/// `*` any characters, `?` one, everything else itself.
pub(super) fn matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if g < glob.len() && glob[g] == '*' {
            star = Some((g, n));
            g += 1;
        } else if g < glob.len() && (glob[g] == '?' || glob[g] == name[n]) {
            g += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}
