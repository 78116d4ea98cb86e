//! What the claims of a person mean here: under which name they act, and with which role.

use serde_json::{Map, Value};
use signalbox_app::dto::CallerRole;
use signalbox_app::{GivenWorkspace, workspace_name, workspace_role};

/// Longest name of a person.
const LONGEST: usize = 100;
/// Every person of the provider.
const EVERYBODY: &str = "*";

/// How people of a provider are read.
#[derive(Debug, Clone)]
pub(crate) struct PeopleRules {
    /// The claim that gives roles; with dots, one inside others.
    pub(crate) role_claim: String,
    /// The claim that gives the name; the usual ones when absent.
    pub(crate) name_claim: Option<String>,
    /// Which value gives which role.
    pub(crate) roles: Vec<RoleRule>,
}

/// A value of the role claim, and what it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoleRule {
    pub(crate) role: CallerRole,
    /// Only there; `None`: for everything.
    pub(crate) workspace: Option<String>,
    pub(crate) value: String,
}

impl std::str::FromStr for RoleRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is not ROLE=VALUE or ROLE@WORKSPACE=VALUE, for example builder=team-automation or 'viewer=*'"
            )
        };
        let (role, value) = text.split_once('=').ok_or_else(wrong)?;
        let value = value.trim();
        if value.is_empty() {
            return Err(wrong());
        }
        let (role, workspace) = match role.split_once('@') {
            None => (role, None),
            Some((role, name)) => (role, Some(workspace_name(name).map_err(|error| error.message)?)),
        };
        let role = CallerRole::parse(role.trim())
            .ok_or_else(|| format!("'{}' is not a role (builder, operator, viewer)", role.trim()))?;
        if workspace.is_some() {
            workspace_role(role).map_err(|error| format!("'{text}': {}", error.message))?;
        }
        Ok(Self { role, workspace, value: value.to_owned() })
    }
}

/// A person as this server knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownPerson {
    /// Under which name they would act; who has signed in before keeps the name of then.
    pub(crate) name: String,
    /// As it is shown.
    pub(crate) shown: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) role: Option<GivenRole>,
}

/// A role, and what gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenRole {
    pub(crate) role: CallerRole,
    /// The value of the claim, or `*`.
    pub(crate) by: String,
    /// Roles in workspaces that are larger than the one for everything.
    pub(crate) workspaces: Vec<GivenWorkspace>,
    /// The role is the largest of those in workspaces: there is none for everything.
    pub(crate) limited: bool,
}

impl PeopleRules {
    /// What the claims mean; why they name nobody, without a full stop.
    pub(crate) fn read(&self, subject: &str, claims: &Map<String, Value>) -> Result<KnownPerson, String> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        // An address that the provider has not verified is anybody's.
        let email = text("email").filter(|_| claims.get("email_verified") != Some(&Value::Bool(false)));
        let name = match &self.name_claim {
            Some(claim) if claim == "email" => email,
            Some(claim) => text(claim),
            None => {
                let verified = email.filter(|_| claims.get("email_verified") == Some(&Value::Bool(true)));
                verified.or_else(|| text("preferred_username")).or(Some(subject))
            }
        };
        let name = name.map(person_name).filter(|name| !name.is_empty()).ok_or_else(|| {
            format!(
                "the provider does not say the claim '{}' of this person, which names people here",
                self.name_claim.as_deref().unwrap_or_default()
            )
        })?;
        Ok(KnownPerson {
            name,
            shown: text("name").map(|name| name.chars().filter(|c| !c.is_control()).take(LONGEST).collect()),
            email: email.map(person_name),
            role: self.role(claims),
        })
    }

    /// The largest role that a value gives.
    fn role(&self, claims: &Map<String, Value>) -> Option<GivenRole> {
        let values = values_of(claims, &self.role_claim);
        let gives = |rule: &&RoleRule| rule.value == EVERYBODY || values.contains(&rule.value.as_str());
        let given: Vec<&RoleRule> = self.roles.iter().filter(gives).collect();
        let everywhere = given.iter().filter(|rule| rule.workspace.is_none()).max_by_key(|rule| rule.role);
        let mut workspaces: Vec<GivenWorkspace> = Vec::new();
        for rule in &given {
            let Some(name) = &rule.workspace else { continue };
            if everywhere.is_some_and(|all| all.role >= rule.role) {
                continue;
            }
            let one = GivenWorkspace { name: name.clone(), role: rule.role, by: rule.value.clone() };
            match workspaces.iter_mut().find(|known| known.name == *name) {
                Some(known) if known.role >= rule.role => {}
                Some(known) => *known = one,
                None => workspaces.push(one),
            }
        }
        let rule = everywhere.or_else(|| given.iter().max_by_key(|rule| rule.role))?;
        Some(GivenRole { role: rule.role, by: rule.value.clone(), workspaces, limited: everywhere.is_none() })
    }
}

/// The values of a claim: of the whole name, or of one inside others (`realm_access.roles`).
fn values_of<'a>(claims: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    let found = claims.get(name).or_else(|| {
        let mut parts = name.split('.');
        let first = claims.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    });
    match found {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A name as it stands in ids. Addresses differ in capitals only by mistake.
fn person_name(text: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '@' | '.' | '_' | '-' | '+' | '\'') { c } else { '_' };
    let name: String = text.chars().take(LONGEST).map(plain).collect();
    if name.contains('@') { name.to_lowercase() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{CallerRole, PeopleRules};
    use serde_json::{Value, json};

    fn rules(name_claim: Option<&str>) -> PeopleRules {
        let roles = ["viewer=staff", "builder=team-automation", "operator=desk"];
        PeopleRules {
            role_claim: "realm_access.roles".into(),
            name_claim: name_claim.map(str::to_owned),
            roles: roles.iter().map(|text| text.parse().expect("a rule")).collect(),
        }
    }

    fn read(rules: &PeopleRules, claims: Value) -> Result<(String, Option<CallerRole>), String> {
        let person = rules.read("sub-1", claims.as_object().expect("an object"))?;
        Ok((person.name, person.role.map(|given| given.role)))
    }

    #[test]
    fn a_person_has_the_largest_role_that_a_value_gives() {
        let role = |claims: Value| read(&rules(None), claims).expect("a person").1;
        let inside = |roles: Value| json!({ "realm_access": { "roles": roles } });
        assert_eq!(role(inside(json!(["staff", "team-automation"]))), Some(CallerRole::Builder));
        assert_eq!(role(inside(json!("desk"))), Some(CallerRole::Operator));
        assert_eq!(role(json!({ "realm_access.roles": ["staff"] })), Some(CallerRole::Viewer));
        for none in [inside(json!(["Staff", "team"])), inside(json!({ "staff": true })), json!({ "roles": ["staff"] })]
        {
            assert_eq!(role(none.clone()), None, "{none}");
        }
        let everybody = PeopleRules { roles: vec!["viewer=*".parse().expect("a rule")], ..rules(None) };
        assert_eq!(read(&everybody, json!({})).expect("a person").1, Some(CallerRole::Viewer));
        for wrong in ["builder", "builder=", "admin=x", "=x"] {
            assert!(wrong.parse::<super::RoleRule>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_may_give_a_role_in_a_workspace_only() {
        let rules = PeopleRules {
            role_claim: "groups".into(),
            name_claim: None,
            roles: ["viewer=staff", "operator@sales=desk", "viewer@sales=guests", "viewer@hr=hr", "operator@hr=boss"]
                .map(|text| text.parse().expect("a rule"))
                .into(),
        };
        let given = |groups: Value| {
            let given = rules.role(json!({ "groups": groups }).as_object().expect("an object"))?;
            let inside: Vec<String> =
                given.workspaces.iter().map(|one| format!("{}@{}={}", one.role.as_str(), one.name, one.by)).collect();
            Some((given.role.as_str(), given.limited, inside.join(" ")))
        };
        assert_eq!(given(json!(["desk"])), Some(("operator", true, "operator@sales=desk".into())));
        assert_eq!(given(json!(["guests", "desk"])), Some(("operator", true, "operator@sales=desk".into())));
        assert_eq!(given(json!(["hr", "guests"])), Some(("viewer", true, "viewer@sales=guests viewer@hr=hr".into())));
        // What is given for everything is given in each workspace.
        assert_eq!(given(json!(["staff", "hr", "desk"])), Some(("viewer", false, "operator@sales=desk".into())));
        assert_eq!(given(json!(["nothing"])), None);
        for wrong in ["builder@sales=x", "viewer@=x", "viewer@Sales=x", "viewer@a b=x", "boss@sales=x"] {
            assert!(wrong.parse::<super::RoleRule>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_person_is_named_by_what_the_provider_has_verified() {
        let name = |claim: Option<&str>, claims: Value| read(&rules(claim), claims).map(|(name, _)| name);
        let usual = json!({ "email": "Ada@Example.org", "email_verified": true, "preferred_username": "ada" });
        assert_eq!(name(None, usual.clone()).as_deref(), Ok("ada@example.org"));
        // Some providers do not say whether they verified it: then whoever runs the server has to know.
        let unsaid = json!({ "email": "ada@example.org", "preferred_username": "ada" });
        assert_eq!(name(None, unsaid.clone()).as_deref(), Ok("ada"));
        assert_eq!(name(Some("email"), unsaid).as_deref(), Ok("ada@example.org"));
        let unverified = json!({ "email": "boss@example.org", "email_verified": false, "preferred_username": "eve" });
        assert_eq!(name(None, unverified.clone()).as_deref(), Ok("eve"));
        assert!(name(Some("email"), unverified).is_err(), "nobody takes the address of another one");
        assert_eq!(name(None, json!({})).as_deref(), Ok("sub-1"));
        assert_eq!(name(Some("preferred_username"), usual).as_deref(), Ok("ada"));
        assert!(name(Some("upn"), json!({ "email": "a@b.c" })).expect_err("no claim").contains("'upn'"));
        assert_eq!(name(Some("n"), json!({ "n": "Ada L:\u{202e}x\n" })).as_deref(), Ok("Ada_L__x"));
    }
}
