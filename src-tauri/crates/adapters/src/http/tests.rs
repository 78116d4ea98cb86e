use super::{check, narrowed};
use crate::address::Reach;
use url::Url;

#[test]
fn a_redirect_never_leads_further_in_than_it_came_from() {
    for (reach, from, want) in [
        (Reach::Loopback, "127.0.0.1", Reach::Loopback),
        (Reach::Loopback, "93.184.216.34", Reach::Public),
        (Reach::Loopback, "10.0.0.1", Reach::Granted),
        (Reach::Granted, "192.168.0.1", Reach::Granted),
        (Reach::Granted, "93.184.216.34", Reach::Public),
        (Reach::Public, "93.184.216.34", Reach::Public),
    ] {
        assert_eq!(narrowed(reach, from.parse().ok()), want, "{reach:?} {from}");
    }
    assert_eq!(narrowed(Reach::Loopback, None), Reach::Public);
    // … and then even a granted host is out of reach.
    let url = Url::parse("http://10.0.0.1/").expect("an address");
    assert!(check(&url, Reach::Granted, &["10.0.0.1".into()]).is_ok());
    assert!(check(&url, Reach::Public, &["10.0.0.1".into()]).is_err());
}
