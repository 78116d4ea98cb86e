//! `postgres://user:password@host:port/database?sslmode=…`.

use super::super::wire::Tls;
use std::fmt;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// Where the database is. Its password is shown nowhere.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    shown: String,
    encrypted: bool,
    root: Option<String>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl Address {
    /// `password` is taken where the address has none. What is wrong is said without the address, which may hold a password.
    pub(crate) fn parse(url: &str, password: Option<&str>) -> Result<Self, String> {
        if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
            return Err("it does not begin with postgres://".into());
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut root, mut others) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value.to_owned()),
                Some(("sslrootcert", value)) => root = Some(value.replace("%2F", "/").replace("%2f", "/")),
                _ => others.push(pair),
            }
        }
        let bare = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        let mut config: Config = bare.parse().map_err(|error: tokio_postgres::Error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            source.unwrap_or_else(|| error.to_string())
        })?;
        if config.get_hosts().is_empty() {
            return Err("it names no host".into());
        }
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password);
        }
        let here = config.get_hosts().iter().all(is_here);
        let encrypted = match mode.as_deref() {
            Some("disable") => false,
            Some("require" | "verify-ca" | "verify-full") => true,
            None | Some("prefer" | "allow") => !here,
            Some(other) => {
                return Err(format!("its sslmode is '{other}'; there are disable, prefer, require and verify-full"));
            }
        };
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        config.application_name("signalbox");
        config.connect_timeout(std::time::Duration::from_secs(8));
        config.keepalives_idle(std::time::Duration::from_secs(10));
        config.keepalives_interval(std::time::Duration::from_secs(5));
        config.keepalives_retries(3);
        config.tcp_user_timeout(std::time::Duration::from_secs(25));
        let shown = shown(&config);
        Ok(Self { config, shown, encrypted, root })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Without the password.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn tls(&self) -> Result<Option<Tls>, String> {
        self.encrypted.then(|| Tls::new(self.root.as_deref())).transpose()
    }
}

fn shown(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(index, host)| {
            let name = match host {
                Host::Tcp(name) => name.clone(),
                #[cfg(unix)]
                Host::Unix(path) => path.display().to_string(),
            };
            let ports = config.get_ports();
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
            format!("{name}:{port}")
        })
        .collect();
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    format!("postgres://{user}{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests;
