use super::{GivenSecrets, Wanted, shares_its_variable, variable};
use serde_json::json;

#[test]
fn names_fit_the_environment() {
    assert_eq!(variable("erp.read-only_2"), "SIGNALBOX_SECRET_ERP_READ_ONLY_2");
}

#[test]
fn names_that_are_alike_share_a_variable_and_others_do_not() {
    let needed = |name: &str| Wanted { name: name.into(), hosts: Vec::new(), stays: false, by: Vec::new() };
    let all = [needed("erp.read"), needed("erp-read"), needed("shop")];
    assert!(shares_its_variable("erp.read", &all) && shares_its_variable("erp-read", &all));
    assert!(!shares_its_variable("shop", &all));
}

#[test]
fn a_value_alone_goes_to_the_hosts_of_the_workflow_and_without_them_nowhere() {
    let needed = |hosts: &[&str]| Wanted {
        name: "erp".into(),
        hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        stays: false,
        by: Vec::new(),
    };
    let secrets = GivenSecrets::default();
    let given = json!("hunter2hunter2");
    let known = secrets.credential_of(&needed(&["api.example.org"]), &given).expect("it has hosts");
    assert_eq!(known.hosts[0].to_string(), "api.example.org");
    assert!(secrets.credential_of(&needed(&[]), &given).expect_err("no hosts").contains("hosts"));
    let whole = json!({ "value": "hunter2hunter2", "kind": "basic", "user": "ada", "hosts": ["http://nas.lan"] });
    assert!(secrets.credential_of(&needed(&[]), &whole).is_ok());
    let without_user = json!({ "value": "x", "kind": "basic", "hosts": ["a.example.org"] });
    assert!(secrets.credential_of(&needed(&[]), &without_user).expect_err("no user").contains("user"));
}
