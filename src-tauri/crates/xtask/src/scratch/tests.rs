use super::{NAME, free_memory, remove_left};

#[test]
fn free_memory_is_read() {
    let text = "MemTotal:       24684092 kB\nMemFree:         3515000 kB\nMemAvailable:   22796000 kB\n";
    assert_eq!(free_memory(text), Some(22_796_000 << 10));
    assert_eq!(free_memory("MemTotal: 1 kB\n"), None);
}

#[test]
#[cfg(target_os = "linux")]
fn only_what_a_process_that_is_gone_left_is_removed() {
    let folder = std::env::temp_dir().join(format!("xtask-scratch-{}", std::process::id()));
    // No process has the first number, and this one has the second.
    let names = [format!("{NAME}4294967295"), format!("{NAME}{}", std::process::id()), "else".to_owned()];
    for name in &names {
        std::fs::create_dir_all(folder.join(name).join("files")).expect("a folder");
    }
    remove_left(&folder);
    let kept: Vec<bool> = names.iter().map(|name| folder.join(name).exists()).collect();
    assert_eq!(kept, [false, true, true]);
    std::fs::remove_dir_all(&folder).expect("removed");
}
