use super::is_own;
use serde_json::{Value, json};

#[test]
fn the_window_stays_at_home() {
    for (url, own) in [
        ("tauri://localhost/index.html", true),
        ("tauri://evil.example/", false),
        ("https://example.org/", false),
        ("file:///etc/passwd", false),
        ("javascript:alert(1)", false),
        ("data:text/html,x", false),
    ] {
        assert_eq!(is_own(&url.parse().expect("url")), own, "{url}");
    }
}

#[test]
fn the_shell_grants_exactly_this() {
    let capability: Value = serde_json::from_str(include_str!("../capabilities/main.json")).expect("capability");
    assert_eq!(capability["windows"], json!(["main"]));
    assert_eq!(
        capability["permissions"],
        json!([
            "core:event:allow-listen",
            "core:event:allow-unlisten",
            "core:window:allow-set-title",
            "allow-rpc",
            "allow-rpc-subscribe",
            "allow-rpc-task-changes",
            "allow-rpc-unsubscribe",
            "allow-pick-file",
            "allow-pick-folder",
            "allow-save-file",
            "allow-save-run-file",
            "allow-linked-task",
            "allow-linked-file",
            "allow-notify",
            "allow-waiting",
            "allow-closing"
        ])
    );
    let config: Value = serde_json::from_str(include_str!("../tauri.conf.json")).expect("config");
    let security = &config["app"]["security"];
    assert_eq!(config["app"]["withGlobalTauri"], json!(false));
    assert_eq!(security["capabilities"], json!(["main"]));
    assert_eq!(security["freezePrototype"], json!(true));
    assert_eq!(security["assetProtocol"], json!({ "enable": false, "scope": [] }));
    assert_eq!(security["csp"]["default-src"], json!("'none'"));
    assert_eq!(security["csp"]["script-src"], json!("'self'"));
    assert_eq!(security["csp"]["connect-src"], json!("ipc: http://ipc.localhost"));
}

#[test]
fn packages_of_other_systems_register_files_links_and_icons() {
    let bundle: Value = serde_json::from_str(include_str!("../bundle.json")).expect("bundle");
    // The bundler's own type refuses what it does not know.
    let read: tauri::utils::config::BundleConfig = serde_json::from_value(bundle["bundle"].clone()).expect("known");
    let file = read.file_associations.expect("associations").remove(0);
    assert_eq!(json!(file.ext), json!(["signalbox.json"]));
    assert_eq!(file.mime_type.as_deref(), Some("application/vnd.signalbox.workflow+json"));
    assert_eq!(bundle["plugins"]["deep-link"]["desktop"]["schemes"], json!(["signalbox"]));
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for icon in read.icon {
        assert!(here.join(&icon).is_file(), "{icon}");
    }
}
