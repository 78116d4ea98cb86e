use super::{CodePages, GROWN, linux};
use std::hint::black_box;

const MAPS: &str = "\
5589a000-5589c000 r--p 00000000 fe:00 11 /usr/bin/program
Rss:                  64 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me sd
5589c000-5589f000 r-xp 00002000 fe:00 11 /usr/bin/program with a space
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me sd
5589f000-558a0000 r--p 00005000 fe:00 11 /usr/bin/program
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me ac sd
558a0000-558a1000 rw-p 00006000 fe:00 11 /usr/bin/program
Anonymous:             4 kB
VmFlags: rd wr mr mw me ac sd
558a1000-558a2000 rw-p 00000000 00:00 0 [heap]
VmFlags: rd wr mr mw me ac sd
7f000000-7f001000 r-xp 00001000 fe:00 12 /usr/lib/changed.so
Anonymous:             4 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me sd
7f001000-7f002000 r-xp 00001000 fe:00 12 /usr/lib/changed-and-swapped.so
Anonymous:             0 kB
Swap:                  4 kB
VmFlags: rd ex mr mw me sd
7f002000-7f003000 r-xp 00000000 00:00 0
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
7f003000-7f004000 r-xp 00000000 00:00 0 [vdso]
Anonymous:             0 kB
VmFlags: rd ex mr mw me de sd
7f004000-7f005000 r-xs 00000000 fe:00 13 /usr/lib/shared.so
Anonymous:             0 kB
VmFlags: rd ex sh mr mw me sd
7f005000-7f006000 r-xp 00001000 00:01 14 /memfd:signalbox (deleted)
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
";

#[test]
fn only_unchanged_code_and_constants_of_files_are_given_back() {
    let expected = [(0x5589_a000, 0x5589_c000), (0x5589_c000, 0x5589_f000), (0x7f00_5000, 0x7f00_6000)];
    assert_eq!(linux::unchanged_code(MAPS), expected);
}

#[test]
fn a_text_that_is_cut_off_names_no_half_of_a_mapping() {
    let whole = linux::unchanged_code(MAPS);
    for end in 0..MAPS.len() {
        let found = linux::unchanged_code(&MAPS[..end]);
        assert_eq!(found[..], whole[..found.len()], "cut at {end}");
    }
}

/// This process goes on afterwards, so its code is still there.
#[test]
fn pages_are_given_back_once_and_again_when_many_came_back() {
    let mut pages = CodePages::default();
    let fewer = pages.look().expect("the first time always");
    assert!(fewer > 0, "a start maps more than what runs now");
    let all = |range: &(usize, usize)| range.1 - range.0;
    assert!(
        linux::unchanged_code(&std::fs::read_to_string("/proc/self/smaps").unwrap()).iter().map(all).sum::<usize>() > 0
    );
    assert_eq!(pages.look(), None, "nothing was mapped in between");
    // As if the pages in use were fewer.
    pages.settled = pages.settled.map(|settled| settled.saturating_sub(2 * GROWN));
    assert!(pages.look().is_some());
    assert_eq!(black_box(MAPS).lines().count(), 38);
}
