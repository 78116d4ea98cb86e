//! Which addresses a request may reach (TRUST, SSRF). What counts is the connected address, never its spelling.

use signalbox_ports::host::is_localhost;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of network an address is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The internet.
    Public,
    /// This machine.
    Loopback,
    /// RFC 1918, carrier NAT, unique local.
    Private,
    /// Link-local and the metadata services of clouds.
    LinkLocal,
    /// Unspecified, multicast, reserved, documentation: nothing to talk to.
    Never,
}

/// The class of an address; addresses that carry an IPv4 address inside get the class of that one.
pub fn class(ip: IpAddr) -> Class {
    match ip {
        IpAddr::V4(ip) => class_v4(ip),
        IpAddr::V6(ip) => class_v6(ip),
    }
}

fn class_v4(ip: Ipv4Addr) -> Class {
    // Metadata services that stand outside 169.254/16.
    const METADATA: [Ipv4Addr; 3] =
        [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];
    if METADATA.contains(&ip) {
        return Class::LinkLocal;
    }
    match ip.octets() {
        [127, ..] => Class::Loopback,
        [169, 254, ..] => Class::LinkLocal,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] | [198, 18..=19, ..] => Class::Private,
        // This network, protocol assignments, documentation, 6to4 relays, multicast, reserved, broadcast.
        [0 | 224..=255, ..] | [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] => {
            Class::Never
        }
        _ => Class::Public,
    }
}

fn class_v6(ip: Ipv6Addr) -> Class {
    let s = ip.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        class_v4(Ipv4Addr::new(a, b, c, d))
    };
    // A gateway would carry these elsewhere: only what is public inside may pass, whatever is granted.
    let carried = |inner: Class| if inner == Class::Public { Class::Public } else { Class::Never };
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => Class::Never,
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        // Mapped: the system connects to the IPv4 address itself.
        [0, 0, 0, 0, 0, 0xffff, high, low] => v4(high, low),
        // Compatible, translated, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => carried(v4(high, low)),
        // Local-use NAT64, Teredo, ORCHID, documentation.
        [0x64, 0xff9b, 1, ..] | [0x2001, 0, ..] | [0x2001, 0x10..=0x2f, ..] | [0x2001, 0xdb8, ..] | [0x3fff, ..] => {
            Class::Never
        }
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254] => Class::LinkLocal,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Class::Private,
        [0xfe80..=0xfebf, ..] => Class::LinkLocal,
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Never,
    }
}

/// How far a request may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Public addresses.
    Public,
    /// Also what hosts with a grant resolve to.
    Granted,
    /// Also this machine.
    Loopback,
}

/// Whether a request to `host` (canonical) may connect to `ip`.
pub(crate) fn allowed(host: &str, ip: IpAddr, reach: Reach, grants: &[String]) -> bool {
    let literal = host.parse::<IpAddr>().is_ok();
    let granted = reach != Reach::Public && grants.iter().any(|grant| grant == host);
    match class(ip) {
        Class::Public => true,
        Class::Loopback => granted || (reach == Reach::Loopback && (literal || is_localhost(host))),
        Class::Private => granted,
        // A grant for a name never opens these; the address itself must have been granted.
        Class::LinkLocal => granted && literal,
        Class::Never => false,
    }
}

/// Why an address is refused, in plain words with the next step.
pub(crate) fn refusal(host: &str, ip: Option<IpAddr>) -> String {
    let Some(ip) = ip else { return format!("The address of '{host}' is not allowed") };
    let shown = if host == ip.to_string() { host.to_owned() } else { format!("{host} ({ip})") };
    match class(ip) {
        Class::Loopback => format!(
            "{shown} is this machine. A request may go there only when a person on this machine starts the run and the \
             host is written in the step or comes from the run's input, as 127.0.0.1 or localhost"
        ),
        Class::Private => format!(
            "{shown} is in a private network. A person on this machine can allow the host; a workflow file cannot"
        ),
        Class::LinkLocal => format!("{shown} is a link-local or metadata address; requests there are not allowed"),
        Class::Never => format!("{shown} is not an address that can be asked"),
        Class::Public => format!("{shown} is not allowed here"),
    }
}

#[cfg(test)]
mod tests;
