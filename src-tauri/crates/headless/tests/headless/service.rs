//! `service`: the unit that it writes, what it asks of systemd, and which files it leaves alone. The home folder and
//! systemctl are those of the test.

use crate::support;

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use support::{Done, TestHome};

struct Session {
    place: TestHome,
    /// Folder of the only programs that are found.
    programs: PathBuf,
    systemctl_fails: &'static str,
}

impl Session {
    fn with_systemd() -> Self {
        let fake = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/headless/fake"));
        Self { place: TestHome::new(), programs: fake, systemctl_fails: "" }
    }

    fn without_systemd() -> Self {
        let place = TestHome::new();
        let programs = place.dir.path().join("no programs");
        Self { place, programs, systemctl_fails: "" }
    }

    fn unit(&self) -> PathBuf {
        self.place.dir.path().join("home/.config/systemd/user/signalbox.service")
    }

    fn run(&self, args: &[&str]) -> Done {
        let mut command = self.place.command(args);
        command
            .env("HOME", self.place.dir.path().join("home"))
            .env_remove("XDG_CONFIG_HOME")
            .env("USER", "nobody-of-this-name")
            .env("PATH", &self.programs)
            .env("FAKE_SYSTEMCTL_LOG", self.place.dir.path().join("calls"))
            .env("FAKE_SYSTEMCTL_FAILS", self.systemctl_fails)
            .stdin(Stdio::null());
        let done = command.output().expect("it starts");
        Done {
            code: done.status.code().unwrap_or(-1),
            out: String::from_utf8(done.stdout).expect("text"),
            err: String::from_utf8(done.stderr).expect("text"),
        }
    }

    fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.place.dir.path().join("calls")).unwrap_or_default();
        text.lines().map(|line| line.trim_start_matches("--user ").to_owned()).collect()
    }
}

/// The words of `ExecStart=`, read as systemd.service(5) says: quotes, then backslashes, `%%`, and `$$` after the program.
fn exec_start(unit: &str) -> Vec<String> {
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a command");
    let mut words: Vec<String> = Vec::new();
    let mut chars = line.chars();
    while let Some(first) = chars.next() {
        assert_eq!(first, '"', "each word is quoted: {line}");
        let (mut word, mut ended) = (String::new(), false);
        while let Some(next) = chars.next() {
            match next {
                '"' => {
                    ended = true;
                    break;
                }
                '\\' => word.push(chars.next().expect("an escaped character")),
                '%' => assert_eq!(chars.next().map(|same| word.push(same)), Some(()), "{line}"),
                '$' if !words.is_empty() => {
                    assert_eq!(chars.next(), Some('$'), "a lone dollar names a variable: {line}");
                    word.push('$');
                }
                other => word.push(other),
            }
        }
        assert!(ended, "{line}");
        words.push(word);
        assert!(matches!(chars.next(), None | Some(' ')), "{line}");
    }
    words
}

#[test]
fn a_service_is_installed_shown_and_removed() {
    let session = Session::with_systemd();
    let done = session.run(&["service", "install", "--addr", "127.0.0.1:9200", "--ui", "--json"]);
    let told = done.json();
    assert_eq!((done.code, &told["started"], &told["unit"]), (0, &json!(true), &json!(session.unit())), "{told}");
    assert!(told["next"][0].as_str().is_some_and(|step| step.contains("loginctl enable-linger")), "{told}");
    assert_eq!(session.calls(), ["daemon-reload", "enable signalbox.service", "restart signalbox.service"]);
    let unit = std::fs::read_to_string(session.unit()).expect("written");
    let data = session.place.data().display().to_string();
    let words = exec_start(&unit);
    assert_eq!(words[0], env!("CARGO_BIN_EXE_signalbox"));
    // The journal does not get the address with the token: that is printed without --json only.
    assert_eq!(words[1..], ["--json", "--data", data.as_str(), "serve", "--addr", "127.0.0.1:9200", "--ui"]);
    assert!(!session.place.data().exists(), "no data folder was opened");

    // Once more, with another address: replaced, and nothing else lies beside it.
    assert_eq!(session.run(&["service", "install"]).code, 0);
    let unit = std::fs::read_to_string(session.unit()).expect("written");
    assert!(exec_start(&unit).contains(&"127.0.0.1:9160".to_owned()), "{unit}");
    let beside = std::fs::read_dir(session.unit().parent().expect("a folder")).expect("readable").count();
    assert_eq!(beside, 1);

    let shown = session.run(&["service", "status", "--json"]);
    let expected = json!({
        "unit": session.unit(), "installed": true, "foreign": false, "enabled": "enabled", "state": "active", "lingering": false,
    });
    assert_eq!((shown.code, shown.json()), (0, expected));

    let gone = session.run(&["service", "uninstall", "--json"]);
    assert_eq!((gone.code, &gone.json()["removed"]), (0, &json!(true)));
    assert!(!session.unit().exists());
    let calls = session.calls();
    assert_eq!(calls[calls.len() - 2..], ["disable --now signalbox.service", "daemon-reload"]);
    let again = session.run(&["service", "uninstall", "--json"]);
    assert_eq!((again.code, &again.json()["removed"]), (0, &json!(false)));
    assert_eq!(session.run(&["service", "status"]).code, 1);
}

#[test]
fn without_systemd_the_unit_is_written_and_the_next_steps_are_told() {
    let mut session = Session::without_systemd();
    let done = session.run(&["service", "install"]);
    assert_eq!(done.code, 1, "{}", done.out);
    for said in [
        "systemctl is not on this machine",
        "systemctl --user daemon-reload && systemctl --user enable --now signalbox.service",
        "loginctl enable-linger",
    ] {
        assert!(done.out.contains(said), "{said}: {}", done.out);
    }
    assert!(session.unit().exists());
    let shown = session.run(&["service", "status", "--json"]);
    assert_eq!((shown.code, &shown.json()["state"], &shown.json()["installed"]), (1, &Value::Null, &json!(true)));

    // It is there, but there is no session bus.
    session.programs = Session::with_systemd().programs;
    session.systemctl_fails = "Failed to connect to bus: No medium found";
    let told = session.run(&["service", "install", "--json"]).json();
    assert_eq!(told["problem"], "`systemctl --user daemon-reload`: Failed to connect to bus: No medium found");
    let gone = session.run(&["service", "uninstall"]);
    assert_eq!(gone.code, 1);
    assert!(gone.out.contains("may still run") && gone.out.contains("systemctl --user stop"), "{}", gone.out);
    assert!(!session.unit().exists());
}

#[test]
fn a_unit_of_somebody_else_is_left_alone() {
    let session = Session::with_systemd();
    std::fs::create_dir_all(session.unit().parent().expect("a folder")).expect("made");
    let own = "[Service]\nExecStart=/usr/bin/true\n";
    std::fs::write(session.unit(), own).expect("written");
    for command in ["install", "uninstall"] {
        let refused = session.run(&["service", command, "--json"]);
        assert_eq!((refused.code, &refused.json()["error"]["code"]), (2, &json!("FOREIGN_UNIT")), "{command}");
        assert_eq!(std::fs::read_to_string(session.unit()).expect("there"), own);
    }
    assert_eq!(session.run(&["service", "status", "--json"]).json()["foreign"], true);

    #[cfg(unix)]
    {
        // A masked unit is a link.
        std::fs::remove_file(session.unit()).expect("removed");
        std::os::unix::fs::symlink("/dev/null", session.unit()).expect("linked");
        for command in ["install", "uninstall"] {
            assert_eq!(session.run(&["service", command]).code, 2, "{command}");
            assert!(session.unit().is_symlink());
        }
    }
    assert!(
        session.calls().iter().all(|call| call.starts_with("is-")),
        "systemd was only asked: {:?}",
        session.calls()
    );
}

#[test]
fn paths_reach_the_server_as_they_are() {
    let session = Session::with_systemd();
    for name in ["two words", "100%", "%h", "$HOME", "a\"b", "it's", "back\\slash", "tab\\t", ";", "ä €"] {
        let folder = session.place.dir.path().join(name).display().to_string();
        std::fs::create_dir(&folder).expect("made");
        let granted = format!("{}:rw", std::fs::canonicalize(&folder).expect("there").display());
        let token = format!("{folder}/token");
        let args =
            ["--data", &folder, "--allow-dir", &granted, "service", "install", "--token-file", &token, "--print"];
        let printed = session.run(&args);
        assert_eq!(printed.code, 0, "{name}: {}", printed.err);
        let words = exec_start(&printed.out);
        let expected = [
            "--json",
            "--data",
            &folder,
            "--allow-dir",
            &granted,
            "serve",
            "--addr",
            "127.0.0.1:9160",
            "--token-file",
            &token,
        ];
        assert_eq!(words[1..], expected, "{name}");
    }
    // A relative path is one of the folder where the command was given.
    let here = exec_start(&session.run(&["--data", "flows", "service", "install", "--print"]).out);
    assert!(here[3].ends_with("/flows") && here[3].starts_with('/'), "{here:?}");
    let broken = session.run(&["--data", "two\nlines", "service", "install", "--json"]);
    assert_eq!((broken.code, &broken.json()["error"]["code"]), (2, &json!("BAD_REQUEST")));
    let port = session.run(&["service", "install", "--addr", "127.0.0.1:0", "--json"]);
    assert_eq!((port.code, &port.json()["error"]["message"]), (2, &json!("A service needs a fixed port.")));
    assert!(!session.unit().exists() && session.calls().is_empty(), "nothing was written or asked");
}

#[test]
fn the_unit_is_where_xdg_says() {
    let session = Session::with_systemd();
    let config = session.place.dir.path().join("config of mine");
    let run = |config: &str| {
        let mut command = session.place.command(&["service", "install", "--print", "--json"]);
        let done = command.env("HOME", "/home/of-nobody").env("XDG_CONFIG_HOME", config).output().expect("it starts");
        let told: Value = serde_json::from_slice(&done.stdout).expect("json");
        told["unit"].as_str().expect("a path").to_owned()
    };
    let named = config.join("systemd/user/signalbox.service").display().to_string();
    assert_eq!(run(&config.display().to_string()), named);
    // The standard says that a relative path is no path.
    assert_eq!(run("relative"), "/home/of-nobody/.config/systemd/user/signalbox.service");
}

/// The unit starts the server as `serve` would be started here, with full paths; what cannot work is refused before.
#[test]
fn a_service_serves_by_https_and_signs_people_in() {
    let session = Session::with_systemd();
    let make = "req -x509 -keyout server.key -out server.pem -days 30 -nodes -subj /CN=localhost -newkey ec -pkeyopt \
                ec_paramgen_curve:prime256v1";
    let folder = session.place.dir.path();
    let made = std::process::Command::new("openssl").current_dir(folder).args(make.split(' ')).output();
    assert!(made.expect("openssl").status.success());
    session.place.file("oidc-secret", "s3cret");
    for name in ["oidc-secret", "server.key"] {
        std::fs::set_permissions(folder.join(name), std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("private");
    }
    let https = ["--addr", "127.0.0.1:8443", "--tls-cert", "server.pem", "--tls-key", "server.key"];
    let people = [
        "--oidc-issuer",
        "https://id.example.com",
        "--oidc-client-id",
        "signalbox",
        "--oidc-client-secret-file",
        "oidc-secret",
        "--oidc-role",
        "builder=team a",
        "--oidc-role",
        "viewer=*",
        "--oidc-scope",
        "groups",
    ];
    let ask = |parts: &[&[&str]]| {
        session.run(&[&["service", "install", "--print", "--json"], parts.concat().as_slice()].concat())
    };
    let done = ask(&[&["--ui"], &https, &people]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let words = exec_start(done.json()["text"].as_str().expect("a unit"));
    let full = |name: &str| folder.join(name).display().to_string();
    let after = |name: &str| {
        let values = words.iter().zip(&words[1..]).filter(|(word, _)| *word == name);
        values.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(after("--oidc-client-secret-file"), [full("oidc-secret")]);
    assert_eq!(after("--oidc-role"), ["builder=team a", "viewer=*"]);
    assert_eq!(after("--oidc-issuer"), ["https://id.example.com/"]);
    assert_eq!(after("--oidc-scope"), ["groups"]);
    assert_eq!(after("--tls-cert"), [full("server.pem")]);
    assert_eq!(after("--tls-key"), [full("server.key")]);

    let refused = |parts: &[&[&str]], said: &str| {
        let done = ask(parts);
        assert_eq!(done.code, 2, "{}", done.out);
        let message = done.json()["error"]["message"].as_str().expect("words").to_owned();
        assert!(message.contains(said), "{message}");
    };
    refused(&[&https, &people], "it is not served");
    refused(&[&["--ui", "--addr", "10.0.0.5:8080"], &people], "in plain text");
    refused(&[&["--addr", "127.0.0.1:8443", "--tls-cert", "none.pem", "--tls-key", "server.key"]], "none.pem");
    refused(&[&["--addr", "0.0.0.0:8443"]], "every network");
    refused(&[&["--addr", "127.0.0.1:443"]], "belong to the system");
    assert!(!session.unit().exists());
}
