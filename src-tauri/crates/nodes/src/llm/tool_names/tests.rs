use super::{of_skill, of_tool};

#[test]
fn names_are_what_providers_take() {
    assert_eq!(of_tool("files", "read.file", &[]), "read_file");
    assert_eq!(of_tool("files", "öffnen/now", &[]), "_ffnen_now");
    assert_eq!(of_tool("s", &"x".repeat(90), &[]), "x".repeat(64));
    assert_eq!(of_skill("refund policy"), "learn_refund_policy");
}

#[test]
fn names_are_used_once() {
    let mut taken = Vec::new();
    for expected in ["find", "b_find", "b_find_2", "b_find_3"] {
        let name = of_tool("b", "find", &taken);
        assert_eq!(name, expected);
        taken.push(name);
    }
    let long = "x".repeat(90);
    let first = of_tool("s", &long, &[]);
    let second = of_tool("s", &long, std::slice::from_ref(&first));
    let third = of_tool("s", &long, &[first, second.clone()]);
    assert!(second.len() == 64 && third.len() == 64 && second != third && third.ends_with("_2"));
}

#[test]
fn ts_121_names_that_steer_a_run_are_never_offered() {
    assert_eq!(of_tool("odd", "transition_to", &[]), "odd_transition_to");
    assert_eq!(of_tool("odd", "learn_x", &[]), "odd_learn_x", "nor those of skills");
}
