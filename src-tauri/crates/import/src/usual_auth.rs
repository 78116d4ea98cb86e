//! The usual ways to authenticate requests, for a service that does not say how it does.

use signalbox_model::connector::{AuthPlace, AuthScheme};

/// Those that most services take; a step chooses by its credential.
pub(crate) fn all() -> Vec<AuthScheme> {
    let scheme = |place, name: Option<&str>, description: &str| AuthScheme {
        place,
        name: name.map(str::to_owned),
        prefix: None,
        description: Some(description.to_owned()),
        token_url: None,
        scopes: Vec::new(),
    };
    let bearer = "A token of the service, where it needs one. How it is sent can be changed in the connector file.";
    vec![
        scheme(AuthPlace::Bearer, None, bearer),
        scheme(AuthPlace::Basic, None, "User and password."),
        scheme(AuthPlace::Header, Some("X-Api-Key"), "A key of the service."),
    ]
}
