use super::taken_back;

#[test]
fn each_fault_of_taking_back_is_told() {
    let no = |why: &str| Err(why.to_owned());
    assert_eq!(taken_back(Vec::new()), (false, None));
    assert_eq!(
        taken_back(vec![no("a is down"), Ok(true), no("b answered 500")]),
        (true, Some("a is down. b answered 500.".into()))
    );
    assert_eq!(taken_back(vec![no("a is down"), no("a is down"), Ok(false)]), (false, Some("a is down.".into())));
}
