//! The vault: three places for its key, no fallback, nothing readable without it.

use signalbox_adapters::Vault;
use signalbox_adapters::keyring::{KeyRing, Look};
use signalbox_adapters::oauth::SignedIn;
use signalbox_adapters::vault::{Entry, Given, KeyPlace, Trouble, VaultError};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const VALUE: &str = "canary-7f3a9c51e2";

/// A key store in memory, shared by the processes of a test.
#[derive(Clone, Default)]
struct TestKeyRing(Arc<Mutex<BTreeMap<String, String>>>, bool);

impl KeyRing for TestKeyRing {
    fn name(&self) -> &'static str {
        "Test key ring"
    }
    fn probe(&self) -> Result<(), String> {
        if self.1 { Err("it is locked".into()) } else { Ok(()) }
    }
    fn look(&self, account: &str) -> Result<Look, String> {
        if self.1 {
            return Ok(Look::Locked);
        }
        Ok(self.get(account)?.map_or(Look::Nothing, Look::Kept))
    }
    fn get(&self, account: &str) -> Result<Option<Secret>, String> {
        self.probe()?;
        Ok(self.0.lock().expect("a lock").get(account).map(Secret::new))
    }
    fn set(&self, account: &str, secret: &Secret) -> Result<(), String> {
        self.probe()?;
        self.0.lock().expect("a lock").insert(account.into(), secret.expose().into());
        Ok(())
    }
    fn delete(&self, account: &str) -> Result<(), String> {
        self.0.lock().expect("a lock").remove(account);
        Ok(())
    }
}

fn vault(data: &Path, ring: &TestKeyRing, given: Given) -> Vault {
    Vault::new(data, given, Arc::new(ring.clone()))
}

fn entry(name: &str) -> Entry {
    Entry {
        name: name.into(),
        kind: CredentialKind::Bearer,
        hosts: vec![AllowedHost::parse("api.example.com").expect("a host")],
        created_at: "2026-11-22T10:00:00.000Z".into(),
        updated_at: "2026-11-22T10:00:00.000Z".into(),
        oauth: None,
        session: None,
    }
}

fn put(vault: &Vault, name: &str) {
    vault.set(entry(name), Secret::new(VALUE), |_| Ok(())).expect("is kept");
}

fn yes() -> Result<(), VaultError> {
    Ok(())
}

fn names(vault: &Vault) -> Result<Vec<String>, Trouble> {
    let list = vault.list().map_err(|error| error.trouble)?;
    Ok(list.into_iter().map(|entry| entry.name).collect())
}

fn given(passphrase: &str) -> Given {
    Given { passphrase: Some(Secret::new(passphrase)), ..Given::default() }
}

#[test]
fn nothing_happens_before_a_person_has_chosen() {
    let data = tempfile::tempdir().expect("a folder");
    let vault = vault(data.path(), &TestKeyRing::default(), given("a passphrase"));
    assert_eq!(names(&vault), Err(Trouble::NotChosen));
    let refused = vault.set(entry("erp"), Secret::new(VALUE), |_| Ok(())).expect_err("nowhere to keep it");
    assert_eq!(refused.trouble, Trouble::NotChosen);
    assert_eq!(vault.status().key, None);
    assert!(!data.path().join("secrets/vault.age").exists());
}

#[test]
fn every_place_keeps_secrets_and_moving_keeps_them() {
    let (data, ring) = (tempfile::tempdir().expect("a folder"), TestKeyRing::default());
    let open = |given| vault(data.path(), &ring, given);
    let first = open(Given::default());
    first.choose(KeyPlace::File, None, None, yes).expect("a key file");
    put(&first, "erp");
    put(&first, "crm");
    assert_eq!(names(&open(Given::default())), Ok(vec!["crm".into(), "erp".into()]), "another process reads them");

    first.choose(KeyPlace::System, None, None, yes).expect("the key store");
    assert_eq!(ring.0.lock().expect("a lock").len(), 1);
    assert_eq!(names(&open(Given::default())), Ok(vec!["crm".into(), "erp".into()]));
    let locked = vault(data.path(), &TestKeyRing(Arc::clone(&ring.0), true), Given::default());
    let error = locked.list().expect_err("the key store is locked");
    assert!(error.message.contains("Test key ring") && error.hint.contains("no fallback"), "{error:?}");
    assert_eq!(error.trouble, Trouble::Locked, "who only looks is not asked to unlock it");
    assert_eq!(locked.status().trouble.map(|error| error.trouble), Some(Trouble::Locked));
    let asked = locked.credential("erp", true).map(drop).expect_err("nobody unlocks it");
    assert!(asked.trouble == Trouble::Unavailable && asked.message.contains("it is locked"), "{asked:?}");
    assert_eq!(locked.unlock(None), Err(asked));
    open(Given::default()).unlock(None).expect("is open");
    let wrong = open(Given::default()).unlock(Some(&Secret::new("a passphrase"))).expect_err("has none");
    assert_eq!(wrong.trouble, Trouble::Invalid);

    let passphrase = Secret::new("three words here");
    first.choose(KeyPlace::Passphrase, Some(&passphrase), None, yes).expect("a passphrase");
    assert!(ring.0.lock().expect("a lock").is_empty(), "the old key is gone");
    let other = open(Given::default());
    assert_eq!(names(&other), Err(Trouble::Locked));
    let wrong = other.unlock(Some(&Secret::new("four words here"))).expect_err("the wrong one");
    assert_eq!(wrong.trouble, Trouble::WrongPassphrase);
    other.unlock(Some(&passphrase)).expect("the right one");
    assert_eq!(other.credential("erp", true).expect("is there").value.expose(), VALUE);
    assert_eq!(names(&open(given("three words here"))), Ok(vec!["crm".into(), "erp".into()]), "from the environment");

    other.delete("crm", yes).expect("is deleted");
    assert_eq!(first.credential("crm", true).map(|_| ()).expect_err("is gone").trouble, Trouble::Missing);
    let files: Vec<String> = fs::read_dir(data.path().join("secrets"))
        .expect("lists")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files.len(), 4, "lock, vault.age, vault.json and one key: {files:?}");
}

#[test]
fn ts_166_no_file_of_the_vault_holds_a_value() {
    let (data, ring) = (tempfile::tempdir().expect("a folder"), TestKeyRing::default());
    let vault = vault(data.path(), &ring, Given::default());
    vault.choose(KeyPlace::File, None, None, yes).expect("a key file");
    put(&vault, "erp");
    for file in fs::read_dir(data.path().join("secrets")).expect("lists") {
        let path = file.expect("a file").path();
        let bytes = fs::read(&path).expect("reads");
        assert!(!bytes.windows(VALUE.len()).any(|window| window == VALUE.as_bytes()), "{}", path.display());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("is there").permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
    assert_eq!(vault.scrubber().text(VALUE), "[secret:erp]");
    assert_eq!(format!("{:?}", vault.credential("erp", true).expect("is there")).find(VALUE), None);
}

#[test]
fn a_lost_or_foreign_key_is_told_and_nothing_is_overwritten() {
    let (data, ring) = (tempfile::tempdir().expect("a folder"), TestKeyRing::default());
    let first = vault(data.path(), &ring, Given::default());
    let elsewhere = data.path().join("elsewhere.txt");
    first.choose(KeyPlace::File, None, Some(&elsewhere), yes).expect("a key file of a person's choice");
    put(&first, "erp");
    let key = fs::read_to_string(&elsewhere).expect("the key");
    assert!(key.contains("AGE-SECRET-KEY-1"));

    let again = || vault(data.path(), &ring, Given::default());
    fs::remove_file(&elsewhere).expect("lost");
    let lost = again().list().expect_err("no key");
    assert!(lost.message.contains("is not there") && lost.hint.contains("--discard"), "{lost:?}");
    assert_eq!(again().choose(KeyPlace::System, None, None, yes).expect_err("cannot be moved").trouble, lost.trouble);
    assert!(ring.0.lock().expect("a lock").is_empty());

    // The key at another place, named when the process starts.
    let moved = data.path().join("moved.txt");
    fs::write(&moved, &key).expect("writes");
    let with = || vault(data.path(), &ring, Given { identity: Some(moved.clone()), ..Given::default() });
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| fs::set_permissions(&moved, fs::Permissions::from_mode(mode)).expect("chmod");
        mode(0o644);
        assert!(with().list().expect_err("others can read it").message.contains("chmod 600"));
        mode(0o600);
    }
    assert_eq!(names(&with()), Ok(vec!["erp".into()]));
    fs::write(&moved, key.replace("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-2")).expect("writes");
    assert!(with().list().expect_err("no key").message.contains("holds no key"));

    again().discard(17, yes).expect("starts over");
    assert_eq!(again().status().key, None);
    assert!(data.path().join("secrets/vault.age.discarded-17").exists(), "the old file is kept");
    again().choose(KeyPlace::File, None, None, yes).expect("a new key");
    assert_eq!(names(&again()), Ok(Vec::new()));
}

#[test]
fn what_cannot_be_recorded_does_not_happen() {
    let (data, ring) = (tempfile::tempdir().expect("a folder"), TestKeyRing::default());
    let vault = vault(data.path(), &ring, Given::default());
    let full =
        || VaultError { trouble: Trouble::Unavailable, message: "The disk is full.".into(), hint: String::new() };
    vault.choose(KeyPlace::System, None, None, || Err(full())).expect_err("is not recorded");
    assert!(ring.0.lock().expect("a lock").is_empty() && vault.status().key.is_none());
    vault.choose(KeyPlace::File, None, None, yes).expect("a key file");
    vault.set(entry("erp"), Secret::new(VALUE), |_| Err(full())).expect_err("is not recorded");
    assert_eq!(names(&vault), Ok(Vec::new()));
    put(&vault, "erp");
    vault.delete("erp", || Err(full())).expect_err("is not recorded");
    assert_eq!(names(&vault), Ok(vec!["erp".into()]));
}

#[test]
fn a_secret_must_make_sense() {
    let (data, ring) = (tempfile::tempdir().expect("a folder"), TestKeyRing::default());
    let vault = vault(data.path(), &ring, Given::default());
    vault.choose(KeyPlace::File, None, None, yes).expect("a key file");
    let header = |name: &str| CredentialKind::Header { name: name.into() };
    for (entry, value, says) in [
        (entry("a/b"), VALUE, "no name"),
        (Entry { hosts: Vec::new(), ..entry("a") }, VALUE, "0 hosts"),
        (entry("a"), "tiny!", "5 characters"),
        (entry("a"), "canary-with\nbreak", "line break"),
        (Entry { kind: header("X Key"), ..entry("a") }, VALUE, "no header"),
        (Entry { kind: header("Host"), ..entry("a") }, VALUE, "no header"),
        (Entry { kind: CredentialKind::Basic { user: "a:b".into() }, ..entry("a") }, VALUE, "colon"),
        (Entry { kind: CredentialKind::Query { name: String::new() }, ..entry("a") }, VALUE, "no name"),
    ] {
        let error = vault.set(entry, Secret::new(value), |_| Ok(())).expect_err(says);
        assert!(error.trouble == Trouble::Invalid && error.message.contains(says), "{says}: {error:?}");
        assert!(!error.message.contains(value) && !error.hint.contains(value));
    }
    assert_eq!(names(&vault), Ok(Vec::new()));
}

/// A sign-in of an id, as the encrypted file has it.
fn signed_in(id: &str) -> Arc<SignedIn> {
    let text = format!(
        r#"{{"kept":{{"id":"{id}","server":"https://desk.example/mcp","issuer":"https://login.example","resource":
        "https://desk.example/mcp","tokenEndpoint":"https://login.example/token","clientId":"signalbox","method":"none",
        "proof":"nothing","asked":[]}},"access":"{VALUE}-{id}","scopes":[]}}"#
    );
    Arc::new(serde_json::from_str(&text).expect("a sign-in"))
}

fn has(vault: &Vault, id: &str) -> bool {
    vault.sign_in("desk", id, true).expect("reads").is_some()
}

fn with_file(data: &Path) -> Vault {
    let vault = vault(data, &TestKeyRing::default(), Given::default());
    vault.choose(KeyPlace::File, None, None, yes).expect("a key file");
    vault
}

fn no() -> Result<(), VaultError> {
    Err(VaultError { trouble: Trouble::Unavailable, message: "The disk is full.".into(), hint: String::new() })
}

#[test]
fn what_a_record_names_is_in_the_vault_whenever_the_process_ends() {
    let data = tempfile::tempdir().expect("a folder");
    let vault = with_file(data.path());
    vault.sign_in_add("desk", &signed_in("first"), yes).expect("is kept");
    // As another process sees it: before the record, and after.
    let looks = || {
        let other = self::vault(data.path(), &TestKeyRing::default(), Given::default());
        (has(&other, "first"), has(&other, "second"))
    };
    let mut meanwhile = (false, false);
    let recorded = || {
        meanwhile = looks();
        Ok(())
    };
    vault.sign_in_add("desk", &signed_in("second"), recorded).expect("is kept");
    assert_eq!(meanwhile, (true, true), "whichever of both the record names");
    assert_eq!(looks(), (false, true));
    // What was not recorded is not kept, and what holds stays.
    vault.sign_in_add("desk", &signed_in("third"), no).expect_err("the record fails");
    assert!(has(&vault, "second") && !has(&vault, "third"));
    // A vault that cannot be written: nothing is recorded. A folder stands where the new file would.
    let blocked = data.path().join(format!("secrets/vault.{}.new", std::process::id()));
    fs::create_dir_all(blocked.join("x")).expect("a folder");
    let never = || panic!("nobody is told to be signed in");
    vault.sign_in_add("desk", &signed_in("fourth"), never).expect_err("it cannot be written");
    assert!(has(&vault, "second"));
}

#[test]
fn only_sign_ins_that_nobody_names_are_forgotten() {
    let data = tempfile::tempdir().expect("a folder");
    let vault = with_file(data.path());
    vault.sign_in_add("desk", &signed_in("old"), yes).expect("is kept");
    vault.sign_in_add("other", &signed_in("others"), yes).expect("is kept");
    // The server was deleted and made anew, and somebody signed in there before the old tokens were taken out.
    vault.sign_in_add("desk", &signed_in("new"), yes).expect("is kept");
    let swept = vault.sign_ins_swept("desk", || Ok(Some("new".into()))).expect("sweeps");
    assert!(swept.is_empty() && has(&vault, "new"));
    vault.sign_ins_swept("desk", || no().map(|()| None)).map(drop).expect_err("nobody knows which is named");
    assert!(has(&vault, "new"));
    let swept = vault.sign_ins_swept("desk", || Ok(None)).expect("sweeps");
    assert_eq!(swept.iter().map(|signed| signed.kept.id.as_str()).collect::<Vec<_>>(), ["new"]);
    assert!(!has(&vault, "new") && vault.sign_in("other", "others", true).expect("reads").is_some());
    let gone = Arc::into_inner(signed_in("new")).expect("one");
    assert!(vault.sign_in_renewed("desk", gone).expect("reads").is_none(), "what is gone is not renewed");
}

#[test]
fn a_process_that_hangs_while_it_renews_keeps_nobody_waiting_for_ever() {
    let data = tempfile::tempdir().expect("a folder");
    let vault = with_file(data.path());
    let renewing = |server| vault.renewing(server, Duration::ZERO);
    let hangs = renewing("desk").expect("nobody else does");
    let error = renewing("desk").map(drop).expect_err("somebody else does");
    // Nobody is told to end the program that speaks.
    let own = "Another connection of this program is renewing the sign-in at 'desk'";
    assert!(error.message.starts_with(own) && !error.hint.contains("end it"), "{error:?}");
    renewing("other").map(drop).expect("another server's is renewed meanwhile");
    let file = data.path().join("secrets/renewing.desk");
    fs::write(&file, "1").expect("as another process writes it");
    let error = renewing("desk").map(drop).expect_err("somebody else does");
    let other = "Another process of Signalbox (process 1) is renewing the sign-in at 'desk'";
    assert!(error.message.starts_with(other) && error.hint.contains("end it"), "{error:?}");
    drop(hangs);
    renewing("desk").map(drop).expect("it is free");
}

#[test]
fn a_copy_for_a_backup_opens_with_its_passphrase_alone() {
    let (home, copy, ring) =
        (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"), TestKeyRing::default());
    let here = vault(home.path(), &ring, Given::default());
    let passphrase = Secret::new("correct horse battery");
    assert!(here.copy_under(&passphrase).expect("asks").is_none(), "nothing was chosen yet");
    here.choose(KeyPlace::System, None, None, yes).expect("is chosen");
    put(&here, "erp");
    let short = here.copy_under(&Secret::new("short")).expect_err("is refused");
    assert_eq!(short.trouble, Trouble::Invalid);

    let secrets = copy.path().join("secrets");
    fs::create_dir(&secrets).expect("made");
    for (name, bytes) in here.copy_under(&passphrase).expect("copies").expect("there are secrets") {
        assert!(!String::from_utf8_lossy(&bytes).contains(VALUE), "{name}");
        fs::write(secrets.join(name), bytes).expect("written");
    }
    // Another machine: its key store knows nothing.
    let there = |given| vault(copy.path(), &TestKeyRing::default(), given);
    assert_eq!(names(&there(Given::default())), Err(Trouble::Locked));
    assert_eq!(names(&there(given("another passphrase"))), Err(Trouble::WrongPassphrase));
    let opened = there(given("correct horse battery"));
    assert_eq!(names(&opened), Ok(vec!["erp".to_owned()]));
    assert_eq!(opened.credential("erp", false).expect("opens").value.expose(), VALUE);
    assert_eq!(names(&here), Ok(vec!["erp".to_owned()]), "the original is as it was");
}
