use super::{Class, Reach, allowed, class};

#[test]
fn every_spelling_has_its_class() {
    for (ip, want) in [
        ("93.184.216.34", Class::Public),
        ("2606:2800:220:1::1", Class::Public),
        ("127.0.0.1", Class::Loopback),
        ("127.255.255.254", Class::Loopback),
        ("::1", Class::Loopback),
        ("::ffff:127.0.0.1", Class::Loopback),
        ("10.1.2.3", Class::Private),
        ("172.16.0.1", Class::Private),
        ("172.32.0.1", Class::Public),
        ("192.168.1.1", Class::Private),
        ("100.64.0.1", Class::Private),
        ("fd12::1", Class::Private),
        ("::ffff:10.0.0.1", Class::Private),
        ("169.254.169.254", Class::LinkLocal),
        ("::ffff:169.254.169.254", Class::LinkLocal),
        ("fe80::1", Class::LinkLocal),
        ("fd00:ec2::254", Class::LinkLocal),
        ("100.100.100.200", Class::LinkLocal),
        ("0.0.0.0", Class::Never),
        ("0.1.2.3", Class::Never),
        ("255.255.255.255", Class::Never),
        ("224.0.0.1", Class::Never),
        ("::", Class::Never),
        ("ff02::1", Class::Never),
        ("::7f00:1", Class::Never),
        ("2002:7f00:1::", Class::Never),
        ("2002:a9fe:a9fe::1", Class::Never),
        ("2002:5db8:d822::1", Class::Public),
        ("64:ff9b::7f00:1", Class::Never),
        ("64:ff9b::a9fe:a9fe", Class::Never),
        ("64:ff9b:1::1", Class::Never),
        ("2001:0:1::1", Class::Never),
        ("2001:db8::1", Class::Never),
    ] {
        assert_eq!(class(ip.parse().expect(ip)), want, "{ip}");
    }
}

#[test]
fn a_grant_is_for_one_host_and_loopback_is_for_literals_and_localhost() {
    let grants = ["nas.lan".to_owned(), "169.254.1.1".to_owned()];
    for (host, ip, reach, want) in [
        ("127.0.0.1", "127.0.0.1", Reach::Loopback, true),
        ("127.0.0.1", "127.0.0.1", Reach::Granted, false),
        ("localhost", "::1", Reach::Loopback, true),
        ("app.localhost", "127.0.0.1", Reach::Loopback, true),
        ("rebind.example", "127.0.0.1", Reach::Loopback, false),
        ("nas.lan", "192.168.1.5", Reach::Granted, true),
        ("nas.lan", "192.168.1.5", Reach::Public, false),
        ("nas.lan", "169.254.169.254", Reach::Granted, false),
        ("169.254.1.1", "169.254.1.1", Reach::Granted, true),
        ("other.lan", "192.168.1.5", Reach::Loopback, false),
        ("0.0.0.0", "0.0.0.0", Reach::Loopback, false),
    ] {
        assert_eq!(allowed(host, ip.parse().expect(ip), reach, &grants), want, "{host} {ip} {reach:?}");
    }
}
