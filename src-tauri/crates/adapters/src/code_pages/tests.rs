use super::{CodePages, GROWN, system};
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
7f006000-7f007000 r-xp 00001000 fe:00 15 /usr/lib/libc.so.6
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
7f007000-7f008000 r-xp 00001000 fe:00 16 /usr/lib/libnss_files.so.2
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
";

#[test]
fn only_unchanged_code_and_constants_of_the_program_are_given_back() {
    let libc = (0x7f00_6000, 0x7f00_7000);
    assert_eq!(system::unchanged_code(MAPS, "/usr/bin/program"), [(0x5589_a000, 0x5589_c000), libc]);
    assert_eq!(system::unchanged_code(MAPS, "/usr/bin/program with a space"), [(0x5589_c000, 0x5589_f000), libc]);
    assert_eq!(system::unchanged_code(MAPS, "/memfd:signalbox (deleted)"), [(0x7f00_5000, 0x7f00_6000), libc]);
    assert_eq!(system::unchanged_code(MAPS, "/usr/bin/another"), [libc], "a library may be closed at any time");
    for changed in ["/usr/lib/changed.so", "/usr/lib/changed-and-swapped.so", "/usr/lib/shared.so"] {
        assert_eq!(system::unchanged_code(MAPS, changed), [libc], "{changed}");
    }
}

#[test]
fn a_text_that_is_cut_off_names_no_half_of_a_mapping() {
    let whole = system::unchanged_code(MAPS, "/usr/bin/program");
    for end in 0..MAPS.len() {
        let found = system::unchanged_code(&MAPS[..end], "/usr/bin/program");
        assert_eq!(found[..], whole[..found.len()], "cut at {end}");
    }
}

/// This process goes on afterwards, so its code is still there.
#[test]
fn pages_are_given_back_after_the_start() {
    let mut pages = CodePages::default();
    let fewer = pages.look().expect("the first time always");
    assert!(fewer > 0, "a start maps more than what runs now");
    assert!(pages.look().is_some(), "once more for what the start left");
    assert_eq!(pages.look(), None, "nothing was mapped in between");
    assert_eq!(black_box(MAPS).lines().count(), 44);
}

#[test]
fn pages_are_given_back_again_when_many_more_are_mapped_than_what_waits_needs() {
    let mut pages = CodePages::default();
    let waits = 10 << 20;
    assert!(pages.is_due(3 * waits) && pages.is_due(2 * waits));
    assert!(!pages.is_due(waits), "this is what it needs");
    assert!(!pages.is_due(waits + GROWN - 1));
    assert!(pages.is_due(waits + GROWN));
    assert!(!pages.is_due(2 * waits), "a new measure");
    assert!(!pages.is_due(waits));
}
