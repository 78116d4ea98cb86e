//! What the machine must have, and how to get it on Debian. Never calls sudo: a person decides about root.

use crate::{Failure, shell};
use std::path::Path;

/// Something a task needs, and the Debian package that brings it.
struct Need {
    what: &'static str,
    package: &'static str,
    proof: Proof,
}

/// What shows that it is there.
enum Proof {
    Program(&'static str),
    /// As pkg-config knows it.
    Library(&'static str),
    /// In a folder that is not searched for programs.
    File(&'static str),
    Font,
    /// Debian keeps the programs of each version of the server in a folder that is not searched.
    PostgresServer,
}

impl Need {
    fn is_there(&self) -> bool {
        match self.proof {
            Proof::Program(name) => shell::which(name).is_some(),
            Proof::Library(name) => shell::output("pkg-config", &["--exists", name]).is_some(),
            Proof::File(path) => Path::new(path).exists(),
            Proof::Font => has_font(Path::new("/usr/share/fonts"), 4),
            Proof::PostgresServer => std::fs::read_dir("/usr/lib/postgresql")
                .is_ok_and(|versions| versions.flatten().any(|version| version.path().join("bin/initdb").exists())),
        }
    }
}

const fn need(what: &'static str, package: &'static str, proof: Proof) -> Need {
    Need { what, package, proof }
}

const COMPILER: Need = need("a C compiler (`cc`)", "build-essential", Proof::Program("cc"));
const PKG_CONFIG: Need = need("pkg-config", "pkg-config", Proof::Program("pkg-config"));
const WEBKIT: Need =
    need("WebKitGTK 4.1 with its headers, for the window", "libwebkit2gtk-4.1-dev", Proof::Library("webkit2gtk-4.1"));
const CHROMIUM: Need =
    need("Chromium, for the browser tests", "chromium-headless-shell", Proof::Program("chromium-headless-shell"));
const XVFB: Need = need("Xvfb, a screen in memory for the window test", "xvfb", Proof::Program("Xvfb"));
const DRIVER: Need =
    need("WebKitWebDriver, for the window test", "webkit2gtk-driver", Proof::Program("WebKitWebDriver"));
const BUS: Need = need("dbus-daemon, a session bus for the window test", "dbus-daemon", Proof::Program("dbus-daemon"));
const FONTS: Need = need("a font, for browser and window tests", "fonts-dejavu-core", Proof::Font);

const POSTGRES: Need = need("PostgreSQL, for the tests of database steps", "postgresql", Proof::PostgresServer);
const MARIADB: Need =
    need("MariaDB, for the tests of database steps", "mariadb-server-core", Proof::Program("mariadb-install-db"));
const MARIADB_CLIENT: Need =
    need("the programs that set up MariaDB call", "mariadb-client-core", Proof::Program("my_print_defaults"));
const OPENSSL: Need = need("openssl, which makes certificates for tests", "openssl", Proof::Program("openssl"));
const IMAP: Need =
    need("Dovecot, an IMAP server for the mail tests", "dovecot-imapd", Proof::File("/usr/lib/dovecot/imap"));
const MQTT: Need =
    need("Mosquitto, an MQTT broker for the tests of messages", "mosquitto", Proof::File("/usr/sbin/mosquitto"));
const REDIS: Need = need("Redis, for the tests of messages", "redis-server", Proof::File("/usr/bin/redis-server"));
const NATS: Need =
    need("a NATS server, for the tests of messages", "nats-server", Proof::File("/usr/sbin/nats-server"));
const SSH: Need =
    need("OpenSSH, an SFTP server for the tests of objects", "openssh-server", Proof::File("/usr/sbin/sshd"));
const SMTP: Need =
    need("Exim, an SMTP server for the mail tests", "exim4-daemon-light", Proof::File("/usr/sbin/exim4"));

const VALGRIND: Need =
    need("valgrind, which counts the instructions of the engine", "valgrind", Proof::Program("valgrind"));

/// What a task needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum For {
    /// The window.
    Window,
    /// The same UI served to a browser.
    Browser,
    /// The engine's work is counted.
    Counts,
    /// All tests.
    Test,
}

/// Checks Node and the system packages; installs what is missing when it may, else says how.
pub(crate) fn ready(root: &Path, for_what: For) -> Result<(), Failure> {
    let mut needs = vec![COMPILER, PKG_CONFIG];
    match for_what {
        For::Window => needs.push(WEBKIT),
        For::Browser => {}
        For::Counts => needs.push(VALGRIND),
        For::Test => {
            needs.extend([
                WEBKIT,
                CHROMIUM,
                XVFB,
                DRIVER,
                BUS,
                FONTS,
                VALGRIND,
                POSTGRES,
                MARIADB,
                MARIADB_CLIENT,
                OPENSSL,
                IMAP,
                MQTT,
                REDIS,
                NATS,
                SSH,
                SMTP,
            ]);
        }
    }
    needs.retain(|need| !need.is_there());
    let mut packages: Vec<&str> = needs.iter().map(|need| need.package).collect();
    let mut words: Vec<String> = needs.iter().map(|need| need.what.to_owned()).collect();
    if let Err(why) = node() {
        match debian_node() {
            // Debian's own is new enough from release 13 on; packages of other sources bring npm inside `nodejs`.
            Some(version) if version.contains("nodesource") => {
                packages.push("nodejs");
                words.push(format!("Node ({why})"));
            }
            Some(_) => {
                packages.extend(["nodejs", "npm"]);
                words.push(format!("Node ({why})"));
            }
            None => {
                return Err(format!(
                    "{why}\nSignalbox needs Node >= 20.19 with npm, and this machine's package source has none that is new enough.\n\
                     Install Node 20.19 or newer, then run this again."
                ));
            }
        }
    }
    if packages.is_empty() {
        return Ok(());
    }
    // Debian has one mail server at a time: installing this one would remove the other.
    if packages.contains(&SMTP.package) && Path::new("/usr/sbin/sendmail").exists() {
        return Err(format!(
            "The mail tests need Exim ({}), and this machine has another mail server, which Debian would remove for it.\n\
             Run the tests on a machine, or in a container, without one.",
            SMTP.package
        ));
    }
    println!("Missing on this machine:");
    for word in &words {
        println!("  - {word}");
    }
    if shell::which("apt-get").is_none() {
        return Err(format!(
            "Only Debian's apt-get is known here. Install what is listed above with this system's own tools\n\
             (on Debian the packages are: {}), then run this again.",
            packages.join(" ")
        ));
    }
    if shell::output("id", &["-u"]).as_deref() != Some("0") {
        return Err(format!(
            "Type this one command, then run this again:\n\n  sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends {}'",
            packages.join(" ")
        ));
    }
    println!("Installing from Debian: {}", packages.join(" "));
    shell::run(root, "apt-get", &["update"])?;
    // Nobody may be there to answer a question.
    let mut args = vec!["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"];
    args.extend(&packages);
    shell::run(root, "env", &args)?;
    match needs.iter().find(|need| !need.is_there()) {
        Some(need) => Err(format!("{} was installed, but {} is still not found.", need.package, need.what)),
        None => node(),
    }
}

/// Node >= 20.19 and npm.
fn node() -> Result<(), Failure> {
    let Some(version) = shell::output("node", &["--version"]) else {
        return Err("Node was not found.".to_owned());
    };
    if !new_enough(&version) {
        return Err(format!("Node {version} is too old."));
    }
    if shell::which("npm").is_none() {
        return Err("npm was not found beside Node.".to_owned());
    }
    Ok(())
}

fn new_enough(version: &str) -> bool {
    let mut parts = version.trim_start_matches('v').split(['.', '-', '+', '~']).map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), minor) = (parts.next(), parts.next().flatten()) else { return false };
    (major, minor.unwrap_or(0)) >= (20, 19)
}

/// The version of Node that apt would install, when it is new enough.
fn debian_node() -> Option<String> {
    let policy = shell::output("apt-cache", &["policy", "nodejs"])?;
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "))?;
    new_enough(candidate.split_once(':').map_or(candidate, |(_, rest)| rest)).then(|| candidate.to_owned())
}

fn has_font(dir: &Path, depth: u32) -> bool {
    let Ok(entries) = std::fs::read_dir(dir) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            depth > 0 && has_font(&path, depth - 1)
        } else {
            path.extension().is_some_and(|end| end == "ttf" || end == "otf" || end == "ttc")
        }
    })
}

/// Whether a window can be opened.
pub(crate) fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::new_enough;

    #[test]
    fn node_versions_are_compared_by_number() {
        for (version, enough) in [
            ("v20.19.0", true),
            ("v20.20.2", true),
            ("v20.9.1", false),
            ("v18.20.4", false),
            ("v22.0.0", true),
            ("18.20.4+dfsg-1~deb12u1", false),
            ("20.19.2+dfsg-1", true),
            ("", false),
        ] {
            assert_eq!(new_enough(version), enough, "{version}");
        }
    }
}
