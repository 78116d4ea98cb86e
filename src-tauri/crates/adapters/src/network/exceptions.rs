//! Hosts that are asked without the proxy, written as in `NO_PROXY`.

use signalbox_ports::host::canonical;
use std::net::IpAddr;

/// Which hosts.
#[derive(Clone, Default)]
pub(super) struct Exceptions(Vec<Exception>);

#[derive(Clone)]
struct Exception {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Clone)]
enum Hosts {
    All,
    /// The name and all below it.
    Domain(String),
    Network {
        first: IpAddr,
        bits: u8,
    },
}

impl Exceptions {
    /// `example.org` (with all names below it, also written `.example.org` or `*.example.org`), `10.0.0.0/8`, `192.168.1.5`,
    /// each with `:port` where one port is meant, or `*` for all.
    pub(super) fn parse<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let parsed = texts.map(str::trim).filter(|text| !text.is_empty()).map(|text| {
            Exception::parse(text).ok_or_else(|| {
                let shown: String = text.chars().take(200).collect();
                format!(
                    "'{shown}' is no exception. Write a host like intranet.example.org or a network like 10.0.0.0/8."
                )
            })
        });
        Ok(Self(parsed.collect::<Result<_, _>>()?))
    }

    /// Whether a host (canonical) is one of them.
    pub(super) fn has(&self, host: &str, port: Option<u16>) -> bool {
        let ip = host.parse::<IpAddr>().ok();
        self.0.iter().any(|exception| {
            (exception.port.is_none() || exception.port == port)
                && match &exception.hosts {
                    Hosts::All => true,
                    Hosts::Domain(name) => {
                        ip.is_none()
                            && host
                                .strip_suffix(name.as_str())
                                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                    }
                    Hosts::Network { first, bits } => ip.is_some_and(|ip| is_in(ip.to_canonical(), *first, *bits)),
                }
        })
    }
}

impl Exception {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self { hosts: Hosts::All, port: None });
        }
        if let Some(hosts) = network(text) {
            return Some(Self { hosts, port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok()?)),
            None => (text, None),
        };
        if let Some(hosts) = network(host.trim_start_matches('[').trim_end_matches(']')) {
            return Some(Self { hosts, port });
        }
        let name = canonical(host.trim_start_matches("*.").trim_start_matches('.'));
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        (!name.is_empty() && name.chars().all(plain)).then_some(Self { hosts: Hosts::Domain(name), port })
    }
}

/// An address, or a network in the form of CIDR.
fn network(text: &str) -> Option<Hosts> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
        None => (text, None),
    };
    let first: IpAddr = address.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    let most = if first.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(most);
    (bits <= most).then_some(Hosts::Network { first, bits })
}

fn is_in(ip: IpAddr, first: IpAddr, bits: u8) -> bool {
    match (ip, first) {
        (IpAddr::V4(ip), IpAddr::V4(first)) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            ip.to_bits() & mask == first.to_bits() & mask
        }
        (IpAddr::V6(ip), IpAddr::V6(first)) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            ip.to_bits() & mask == first.to_bits() & mask
        }
        _ => false,
    }
}
